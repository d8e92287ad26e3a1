// CUL2037: an image contains NVIDIA driver files, which must come from the host.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "rules/kit/recipe/recipe_facts.h"

namespace culprit::rules::driver_in_image {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A Dockerfile installs or copies libcuda or other NVIDIA driver files into the image.
## Why it breaks
The driver libraries must match the version of the host's kernel module, so the container runtime mounts them from the
host at start. A copy in the image has another version: at best it is never used, at worst it shadows the host's
("driver/library version mismatch", 803) or blocks the mount ("file exists").
## How culprit knows
It looks for driver packages that apt installs (also the metapackages `cuda` and cuda-runtime, which pull in the
driver), NVIDIA's installer (NVIDIA-Linux-x86_64-550.54.14.run) among the commands, copied libcuda files, and symlinks
named libcuda.so.1 that point to a stub.
## Fix
Leave the driver out. Install only the toolkit (cuda-toolkit-12-4 instead of cuda) or its libraries
(cuda-libraries-12-4 instead of cuda-runtime-12-4), or start from an nvidia/cuda image.
## When this is not your problem
The image is for a virtual machine or installs the driver on a host (a driver container), the installer only unpacks
its files (--extract-only), or a later command removes these files again.
## Sources
NVIDIA, CUDA Installation Guide for Linux (meta packages: cuda, cuda-MAJOR-MINOR and cuda-runtime-MAJOR-MINOR install the driver too);
NVIDIA Container Toolkit documentation; NVIDIA/nvidia-docker issue 1551.
)md";

bool IsDriverPackage(const std::string& name) {
  static constexpr std::array<std::string_view, 5> kNames = {"cuda", "cuda-drivers", "libcuda1",
                                                             "libnvidia-ml1", "nvidia-smi"};
  static constexpr std::array<std::string_view, 8> kBeginnings = {
      "nvidia-driver",    "cuda-drivers-", "libnvidia-compute-", "nvidia-utils-",
      "nvidia-headless-", "nvidia-dkms",   "nvidia-kernel",      "libnvidia-gl-"};
  if (std::ranges::find(kNames, name) != kNames.end()) return true;
  if (std::ranges::any_of(kBeginnings, [&](std::string_view begin) { return name.starts_with(begin); }))
    return true;
  // "cuda-12-4" is the toolkit with the driver, "cuda-toolkit-12-4" without; "nvidia-375" is an old driver
  // package.
  const auto numbers = [&](std::string_view begin) {
    return name.starts_with(begin) && name.size() > begin.size() &&
           name.find_first_not_of("0123456789-", begin.size()) == std::string::npos;
  };
  return numbers("cuda-") || numbers("cuda-runtime-") || numbers("nvidia-");
}

bool IsLibcuda(const std::string& path) {
  const std::string_view name = base::BaseName(path);
  return name.starts_with("libcuda.so") && !base::Contains(path, "stubs") && !base::Contains(path, "compat");
}

// The installer, unless it only unpacks its files; "" if the command starts none.
std::string Installer(const RecipeStep& step) {
  if (HasWord(step, "-x") || HasWord(step, "--extract-only")) return "";
  const size_t at = Calls(step, "sh") || Calls(step, "bash") ? 1 : 0;
  if (at >= step.words.size()) return "";
  const std::string_view name = base::BaseName(step.words[at]);
  return name.starts_with("NVIDIA-Linux-") && name.ends_with(".run") ? std::string(name) : "";
}

// What of the driver a command of RUN leaves in the image; "" for nothing.
std::string LeftBy(const RecipeStep& step) {
  if (step.words.size() > 2 && (Calls(step, "cp") || Calls(step, "install"))) {
    const auto copied = std::ranges::find_if(step.words, IsLibcuda);
    return copied == step.words.end() ? "" : *copied;
  }
  // A symlink to the stub has the name that programs ask for.
  const bool link = step.words.size() > 2 && Calls(step, "ln") && IsLibcuda(step.words.back()) &&
                    base::BaseName(step.words.back()).starts_with("libcuda.so.1");
  const bool to_stub = link && base::Contains(step.words[step.words.size() - 2], "stubs/libcuda.so");
  return to_stub ? step.words.back() : Installer(step);
}

// `rm -rf .../libcuda*` afterwards.
bool RemovesDriver(const PartView& view, const RecipeStep& after) {
  const auto from = std::ranges::find(view.steps, &after, &PartView::Step::step);
  return std::any_of(from, view.steps.end(), [](const PartView::Step& step) {
    return step->kind == StepKind::kRun && Calls(*step.step, "rm") &&
           std::ranges::any_of(step->words,
                               [](const std::string& word) { return base::Contains(word, "libcuda"); });
  });
}

// What to install instead of a metapackage.
std::string_view Instead(const std::string& what) {
  if (what.starts_with("cuda-runtime")) return "; for only the libraries, install cuda-libraries-MAJOR-MINOR";
  return what.starts_with("cuda") ? "; for only the toolkit, install cuda-toolkit-MAJOR-MINOR" : "";
}

void FireOn(const PartView& view, const PartView::Step& step, const std::string& what, Ruling& ruling) {
  if (step.recipe != view.recipe || RemovesDriver(view, *step.step)) return;
  const bool file = base::Contains(base::BaseName(what), ".so");
  const std::string_view why = file ? ", a driver file that must come from the host"
                                    : ", which installs driver files; they must come from the host";
  report::Finding& finding = FireAt(ruling, "the image gets " + what + std::string(why), *step.recipe,
                                    *step.part, step->line, {what});
  finding.evidence.push_back(AsEvidence(step));
  finding.fix = {.text = "leave " + what + " out: the container runtime mounts the host's driver files" +
                         std::string(Instead(what)),
                 .commands = {},
                 .risk = report::Risk::kLow};
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const PartView& view : AllParts(scene)) {
    if (view.recipe->kind != snapshot::RecipeKind::kDockerfile || view.part->passing) continue;
    for (const RecipeInstall& install : InstallsOf(view)) {
      if (install.manager == Manager::kApt && IsDriverPackage(install.name))
        FireOn(view, install.step, install.name, ruling);
    }
    for (const PartView::Step& step : view.steps) {
      if (step->kind == StepKind::kRun) {
        if (const std::string left = LeftBy(*step.step); !left.empty()) FireOn(view, step, left, ruling);
      }
      if (step->kind != StepKind::kCopy) continue;
      const auto copied = std::ranges::find_if(step->words, IsLibcuda);
      if (copied != step->words.end()) FireOn(view, step, *copied, ruling);
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL2037",
                           .name = "driver_in_image",
                           .family = Family::kVisibility,
                           .explains = Explains::kNothing,
                           .cause = "driver-library-mismatch",
                           .severity = report::Severity::kWarning,
                           .looks_at = LooksAt::kRecipe,
                           .since = "0.9.0",
                           .title = "an image contains NVIDIA driver files, which must come from the host",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::driver_in_image
