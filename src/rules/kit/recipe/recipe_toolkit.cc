#include "rules/kit/recipe/recipe_toolkit.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "rules/kit/recipe/package_cuda.h"

namespace culprit::rules {
namespace {

// The metapackages of the toolkit with the driver: "cuda", "cuda-12-4".
bool IsWholeCuda(std::string_view name) {
  return name == "cuda" || (name.starts_with("cuda-") && name.size() > 5 &&
                            name.find_first_not_of("0123456789-", 5) == std::string_view::npos);
}

// Packages with nvcc in them, of apt, conda and pip.
bool IsCompilerPackage(std::string_view name) {
  static constexpr std::array<std::string_view, 6> kBeginnings = {
      "cuda-toolkit", "cuda-nvcc", "cuda-compiler", "cuda-minimal-build", "nvidia-cuda-nvcc", "cuda-dev"};
  return IsWholeCuda(name) || name == "nvidia-cuda-toolkit" || name == "cudatoolkit-dev" ||
         std::ranges::any_of(kBeginnings, [&](std::string_view begin) { return name.starts_with(begin); });
}

// An environment of conda's that may have nvcc: from a file that is not read, or with a package of CUDA.
bool MakesEnvironment(const RecipeStep& step) {
  if (!Calls(step, "conda") && !Calls(step, "mamba") && !Calls(step, "micromamba")) return false;
  const bool file = HasWord(step, "-f") || HasWord(step, "--file") ||
                    (HasWord(step, "env") && (HasWord(step, "create") || HasWord(step, "update")));
  return file || (HasWord(step, "create") && std::ranges::any_of(step.words, [](const std::string& word) {
                    return IsCompilerPackage(std::string_view(word).substr(0, word.find('=')));
                  }));
}

// Whether a step puts files of the toolkit into the image.
bool BringsToolkit(const RecipeStep& step) {
  static constexpr std::array<std::string_view, 5> kMovers = {"cp", "mv", "ln", "tar", "rsync"};
  const bool runs = step.kind == StepKind::kRun, copies = step.kind == StepKind::kCopy;
  if (!runs && !copies) return false;
  if (runs && MakesEnvironment(step)) return true;
  const bool moves =
      copies || std::ranges::any_of(kMovers, [&](std::string_view program) { return Calls(step, program); });
  return std::ranges::any_of(step.words, [&](const std::string& word) {
    return (base::Contains(word, "cuda_") && word.ends_with(".run")) ||
           base::Contains(word, "nvidia/label/cuda") || (moves && base::Contains(word, "/usr/local/cuda"));
  });
}

// Packages that put libraries of CUDA where programs of the image find them, or may.
bool IsCudaPackage(const RecipeInstall& install) {
  if (install.manager == Manager::kConda) return true;
  if (install.name.starts_with("nvidia-") || install.name.starts_with("cuda-")) return true;
  if (install.manager == Manager::kApt)
    return install.name == "cuda" || base::Contains(install.name, "cudnn") ||
           install.name.starts_with("libcu");
  const std::string framework =
      FrameworkOfPackage(install).framework;  // whose wheels require those of NVIDIA
  return framework == "torch" || framework == "jax" || (!framework.empty() && !install.extra.empty()) ||
         TorchOfPackage(install).has_value();
}

}  // namespace

bool BringsNvcc(const PartView& view) {
  const auto installs = InstallsOf(view);
  return std::ranges::any_of(installs,
                             [](const RecipeInstall& install) { return IsCompilerPackage(install.name); }) ||
         std::ranges::any_of(view.steps,
                             [](const PartView::Step& step) { return BringsToolkit(*step.step); });
}

bool BringsCudaLibraries(const PartView& view) {
  const auto installs = InstallsOf(view);
  return view.open || !view.brought.empty() || !UnreadInstallsOf(view).empty() || !ScriptsOf(view).empty() ||
         std::ranges::any_of(installs, IsCudaPackage) ||
         std::ranges::any_of(view.steps,
                             [](const PartView::Step& step) { return BringsToolkit(*step.step); });
}

std::vector<FrameworkOnImage> FrameworksOnImages(const Scene& scene) {
  using knowledge::LibrariesFrom;
  std::vector<FrameworkOnImage> all;
  for (const PartView& view : Started(scene)) {
    if (!view.image.of_nvidia_cuda || view.image.cuda.empty() || BringsCudaLibraries(view)) continue;
    for (RecipeBuild& build : BuildsOf(view)) {
      const bool takes = build.row != nullptr && (build.row->libraries == LibrariesFrom::kSystem ||
                                                  build.row->libraries == LibrariesFrom::kExtra);
      if (takes) all.push_back({std::move(build), view});
    }
  }
  return all;
}

}  // namespace culprit::rules
