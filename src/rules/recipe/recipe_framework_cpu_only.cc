// CUL6032: a Dockerfile installs a CPU-only framework into an image with CUDA.
#include "rules/kit/recipe/recipe_facts.h"

namespace culprit::rules::recipe_framework_cpu_only {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The base image contains CUDA, but the framework build that is installed last is CPU-only.
## Why it breaks
A CPU-only build never uses a GPU: "Torch not compiled with CUDA enabled", or everything runs on the CPU.
## How culprit knows
From the index (`--index-url https://download.pytorch.org/whl/cpu`) or the local version (+cpu) of torch, torchvision
or torchaudio, and from the base image.
## Fix
Install the build for the image's CUDA. If you want the CPU, use a small base image without CUDA.
## When this is not your problem
Something else in the image uses CUDA. Culprit is silent about an installation inside a shell branch (if, case, a
loop).
## Sources
PyTorch, Previous PyTorch Versions (pytorch.org/get-started/previous-versions: CPU only).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const PartView& view : AllParts(scene)) {
    if (view.recipe->kind != snapshot::RecipeKind::kDockerfile || view.part->passing || !view.HasCuda())
      continue;
    const RecipeInstall* last = nullptr;
    const std::vector<RecipeInstall> installs = InstallsOf(view);
    for (const RecipeInstall& install : installs) {
      if (install.manager == Manager::kPip && install.name == "torch") last = &install;
    }
    if (last == nullptr || last->variant != "cpu" || last->step.recipe != view.recipe) continue;
    if (last->step->conditional) continue;  // another branch may install another build
    report::Finding& finding = FireAt(
        ruling, last->text + " is a CPU-only build, but the base image " + view.base->image + " has CUDA",
        *last->step.recipe, *last->step.part, last->step->line);
    finding.evidence = {AsEvidence(last->step), ImageEvidence(view)};
    finding.fix = {.text = "install a CUDA build, or start from an image without CUDA if you want the CPU",
                   .commands = {},
                   .risk = report::Risk::kLow};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL6032",
                           .name = "recipe_framework_cpu_only",
                           .family = Family::kPython,
                           .explains = Explains::kNothing,
                           .cause = "framework-cpu-only",
                           .severity = report::Severity::kWarning,
                           .looks_at = LooksAt::kRecipe,
                           .since = "0.9.0",
                           .title = "a Dockerfile installs a CPU-only framework into an image with CUDA",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::recipe_framework_cpu_only
