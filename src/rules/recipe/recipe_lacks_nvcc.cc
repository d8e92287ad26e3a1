// CUL4031: a Dockerfile compiles for CUDA on an image without nvcc.
#include <algorithm>
#include <array>

#include "base/python/package_name.h"
#include "base/text.h"
#include "knowledge/packages/extensions.h"
#include "rules/kit/recipe/recipe_toolkit.h"

namespace culprit::rules::recipe_lacks_nvcc {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A RUN line compiles CUDA code, but the base image is a base or runtime image: only devel images contain the compiler.
## Why it breaks
"nvcc: not found", "CUDA_HOME environment variable is not set", "Could not find nvcc".

## How culprit knows
From the flavour in the image tag (base, runtime, devel), what apt, dnf, yum, zypper and conda install, and commands
that need nvcc: nvcc itself, packages that have no wheel and compile at installation (data/extensions.toml), CMake
with CUDA. It is a warning where a wheel may exist (--no-binary rules that out) and inside a shell branch.
## Fix
Build on the devel image of the same release, in a separate stage, and copy the result into the runtime image.
## When this is not your problem
A script that culprit does not read installs the toolkit. Culprit is silent where a conda environment file (`conda env
create`) may install it.
## Sources
gitlab.com/nvidia/container-images/cuda, as in taehun-kmu/FMCL-Docker@0336e30f: doc/README.md (flavours; the text of hub.docker.com/r/nvidia/cuda);
pytorch/pytorch@0011ec5c: torch/utils/cpp_extension.py (CUDA_HOME, nvcc).
)md";

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

// Whether the index has wheels of it with GPU code: pip compiles nothing.
bool HasWheels(const RecipeInstall& install) {
  return std::ranges::any_of(knowledge::Projects(), [&](const knowledge::Project& row) {
    return row.package == install.name && row.gpu == knowledge::GpuUse::kOwn;
  });
}

// `pip install --no-binary flash-attn`: no wheel is taken.
bool RefusesWheel(const RecipeStep& step, const std::string& package) {
  constexpr std::string_view kOption = "--no-binary";
  for (size_t i = 0; i < step.words.size(); ++i) {
    std::string_view value = step.words[i];
    if (!value.starts_with(kOption)) continue;
    value.remove_prefix(kOption.size());
    if (value.starts_with('=')) {
      value.remove_prefix(1);
    } else if (value.empty() && i + 1 < step.words.size()) {
      value = step.words[i + 1];
    }
    for (const std::string& name : base::Split(value, ',')) {
      if (name == ":all:" || base::NormalName(name) == package) return true;
    }
  }
  return false;
}

void FireOn(const PartView& view, const PartView::Step& step, const std::string& what,
            report::Severity severity, Ruling& ruling) {
  const std::string need = what == "nvcc" ? "the build calls nvcc" : what + " needs nvcc";
  report::Finding& finding = FireAt(ruling, need + ", which " + view.base->image + " does not have",
                                    *step.recipe, *step.part, step->line, {what});
  finding.severity = severity;
  finding.evidence = {ImageEvidence(view), AsEvidence(step)};
  finding.fix = {
      .text = "compile on the devel image of the same release, in a separate stage, and copy the result",
      .commands = {},
      .risk = report::Risk::kLow};
}

// A branch that is not taken does no harm.
report::Severity SeverityOf(const RecipeStep& step) {
  return step.conditional ? report::Severity::kWarning : report::Severity::kError;
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const PartView& view : AllParts(scene)) {
    const bool without = view.image.flavour == knowledge::ImageFlavour::kBase ||
                         view.image.flavour == knowledge::ImageFlavour::kRuntime;
    if (!without || BringsNvcc(view)) continue;
    for (const PartView::Step& step : view.steps) {
      if (step.part != view.part || step->kind != StepKind::kRun || step->may_fail || step->mounts) continue;
      if (const std::string what = NeedsNvcc(*step.step); !what.empty())
        FireOn(view, step, what, SeverityOf(*step.step), ruling);
    }
    for (const RecipeInstall& install : InstallsOf(view)) {
      const RecipeStep& step = *install.step.step;
      if (install.step.part != view.part || step.mounts || !CompilesForCuda(install)) continue;
      // Otherwise a wheel may be there for this very torch.
      const bool refuses = RefusesWheel(step, install.name);
      if (!refuses && HasWheels(install)) continue;
      const bool compiles = refuses && !step.may_fail;
      FireOn(view, install.step, install.name, compiles ? SeverityOf(step) : report::Severity::kWarning,
             ruling);
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
