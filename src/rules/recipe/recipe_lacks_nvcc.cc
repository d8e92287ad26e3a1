// CUL4031: a Dockerfile compiles for CUDA on an image without nvcc.
#include <algorithm>

#include "base/text.h"
#include "knowledge/packages/extensions.h"
#include "rules/kit/recipe/recipe_facts.h"

namespace culprit::rules::recipe_lacks_nvcc {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A RUN line compiles CUDA code, and the base image is a base or runtime one: the compiler is only in devel images.

## Why it breaks
"nvcc: not found", "CUDA_HOME environment variable is not set", "Could not find nvcc".

## How culprit knows
The flavour in the tag of the image (base, runtime, devel), what apt and conda install, and commands that need nvcc: nvcc itself, packages that have
no wheel and compile at installation (data/extensions.toml), CMake with CUDA.

## Fix
Build on the devel image of the same release, in a stage of its own, and copy the result into the runtime image.

## When this is not your problem
A script that culprit does not read installs the toolkit.

## Sources
gitlab.com/nvidia/container-images/cuda, as in taehun-kmu/FMCL-Docker@0336e30f: doc/README.md (flavours; the text of hub.docker.com/r/nvidia/cuda);
pytorch/pytorch@0011ec5c: torch/utils/cpp_extension.py (CUDA_HOME, nvcc).
)md";

// The metapackages of the toolkit with the driver: "cuda", "cuda-12-4".
bool IsWholeCuda(std::string_view name) {
  return name == "cuda" || (name.starts_with("cuda-") && name.size() > 5 &&
                            name.find_first_not_of("0123456789-", 5) == std::string_view::npos);
}

// Whether the toolkit comes from somewhere else.
bool BringsNvcc(const PartView& view) {
  for (const RecipeInstall& install : InstallsOf(view)) {
    const std::string& name = install.name;
    if (name.starts_with("cuda-toolkit") || name.starts_with("cuda-nvcc") ||
        name.starts_with("cuda-compiler") || name.starts_with("cuda-minimal-build") || IsWholeCuda(name) ||
        name == "nvidia-cuda-toolkit" || name == "cudatoolkit-dev" || name.starts_with("nvidia-cuda-nvcc") ||
        name.starts_with("cuda-dev"))
      return true;
  }
  return std::ranges::any_of(view.steps, [](const PartView::Step& step) {
    const bool copied = step->kind == StepKind::kCopy || step->kind == StepKind::kRun;
    return copied && std::ranges::any_of(step->words, [](const std::string& word) {
             return (base::Contains(word, "cuda_") && word.ends_with(".run")) ||
                    base::Contains(word, "nvidia/label/cuda") ||
                    (base::Contains(word, "/usr/local/cuda") && !base::Contains(word, "="));
           });
  });
}

// What in a command needs nvcc; "" if nothing does.
std::string NeedsNvcc(const RecipeStep& step) {
  if (Calls(step, "nvcc") && !HasWord(step, "--version") && !HasWord(step, "-V")) return "nvcc";
  if (!Calls(step, "cmake")) return "";
  for (const std::string& word : step.words) {
    for (const std::string_view option :
         {"-DGGML_CUDA=ON", "-DLLAMA_CUBLAS=ON", "-DCMAKE_CUDA_ARCHITECTURES=", "-DWITH_CUDA=ON",
          "-DUSE_CUDA=ON", "-DCMAKE_CUDA_COMPILER="}) {
      if (word.starts_with(option) ||
          word.starts_with(std::string(option.substr(0, option.size() - 2)) + "on"))
        return std::string(option);
    }
  }
  return "";
}

// Packages that compile for CUDA when pip installs them.
bool CompilesForCuda(const RecipeInstall& install) {
  return install.manager == Manager::kPip &&
         std::ranges::any_of(knowledge::SourceBuilds(), [&](const knowledge::SourceBuild& row) {
           return row.nvcc && row.package == install.name;
         });
}

void FireOn(const PartView& view, const PartView::Step& step, const std::string& what,
            report::Severity severity, Ruling& ruling) {
  report::Finding& finding =
      FireAt(ruling, what + " needs the compiler of CUDA, which " + view.base->image + " does not have",
             *step.recipe, *step.part, step->line, {what});
  finding.severity = severity;
  finding.evidence = {ImageEvidence(view), AsEvidence(step)};
  finding.fix = {
      .text = "compile on the devel image of the same release, in a stage of its own, and copy the result",
      .commands = {},
      .risk = report::Risk::kLow};
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const PartView& view : AllParts(scene)) {
    const bool without = view.image.flavour == knowledge::ImageFlavour::kBase ||
                         view.image.flavour == knowledge::ImageFlavour::kRuntime;
    if (!without || BringsNvcc(view)) continue;
    for (const PartView::Step& step : view.steps) {
      if (step.part != view.part || step->kind != StepKind::kRun || step->may_fail) continue;
      if (const std::string what = NeedsNvcc(*step.step); !what.empty())
        FireOn(view, step, what, report::Severity::kError, ruling);
    }
    for (const RecipeInstall& install : InstallsOf(view)) {  // a wheel may be there for this very torch
      if (install.step.part == view.part && CompilesForCuda(install))
        FireOn(view, install.step, install.name, report::Severity::kWarning, ruling);
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL4031",
                           .name = "recipe_lacks_nvcc",
                           .family = Family::kToolkit,
                           .explains = Explains::kNothing,
                           .cause = "toolkit-missing",
                           .severity = report::Severity::kError,
                           .looks_at = LooksAt::kRecipe,
                           .since = "0.9.0",
                           .title = "a Dockerfile compiles for CUDA on an image without nvcc",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::recipe_lacks_nvcc
