// CUL8031: a Dockerfile compiles for an architecture that the nvcc of its base image does not support.
#include "base/version.h"
#include "knowledge/arch.h"
#include "rules/kit/building/arch_flags.h"
#include "rules/kit/recipe/recipe_toolkit.h"

namespace culprit::rules::recipe_nvcc_unknown_arch {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A RUN line makes nvcc compile for a GPU architecture that this CUDA release does not support yet, or no longer
supports.
## Why it breaks
"nvcc fatal: Unsupported gpu architecture 'compute_100'": the build fails.
## How culprit knows
From nvcc's flags (-arch, -gencode) and -DCMAKE_CUDA_ARCHITECTURES in the line, the CUDA in the devel image's tag, and
the architectures of each release in data/architectures.toml.
## Fix
Build on the devel image of a release that supports the architecture, or remove the architecture.
## When this is not your problem
Another toolkit is installed and used. Culprit is silent where a package or a step installs one.
## Sources
Documentation of nvcc: -gencode; data/architectures.toml.
)md";

// What a command compiles for.
std::vector<std::string> TargetsOf(const RecipeStep& step) {
  constexpr std::string_view kCMake = "-DCMAKE_CUDA_ARCHITECTURES=";
  const bool nvcc = Calls(step, "nvcc"), cmake = Calls(step, "cmake");
  std::vector<std::string> targets;
  for (const std::string_view word : step.words) {
    const bool list = cmake && word.starts_with(kCMake);
    if (!nvcc && !list) continue;
    for (std::string& target : list ? CapabilitiesInList(word.substr(kCMake.size())) : CapabilitiesIn(word))
      targets.push_back(std::move(target));
  }
  return targets;
}

void CheckStep(const PartView& view, const PartView::Step& step, Ruling& ruling) {
  for (const std::string& text : TargetsOf(*step.step)) {
    const auto capability = base::Version::Parse(text);
    if (!capability) continue;
    const auto answer = knowledge::ToolkitTargets(view.image.cuda, *capability);
    if (answer.verdict != knowledge::Verdict::kNo) continue;
    report::Finding& finding = FireAt(ruling,
                                      "the Dockerfile compiles for compute capability " + text +
                                          ", which nvcc in " + view.base->image + " does not support",
                                      *step.recipe, *step.part, step->line, {text});
    if (step->conditional || step->may_fail) finding.severity = report::Severity::kWarning;
    finding.evidence = {ImageEvidence(view), AsEvidence(step), {answer.why, std::string(answer.source)}};
    finding.fix = {
        .text = "build on the devel image of a CUDA release that supports it, or remove that architecture",
        .commands = {},
        .risk = report::Risk::kLow};
    return;
  }
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const PartView& view : AllParts(scene)) {
    if (view.image.flavour != knowledge::ImageFlavour::kDevel || view.image.cuda.empty() || BringsNvcc(view))
      continue;
    for (const PartView::Step& step : view.steps) {
      if (step.part == view.part && step->kind == StepKind::kRun) CheckStep(view, step, ruling);
    }
  }
}

}  // namespace

extern const Rule kRule = {
    .code = "CUL8031",
    .name = "recipe_nvcc_unknown_arch",
    .family = Family::kBuilding,
    .explains = Explains::kNothing,
    .cause = "arch-unsupported-by-compiler",
    .severity = report::Severity::kError,
    .looks_at = LooksAt::kRecipe,
    .since = "0.9.0",
    .title = "a Dockerfile compiles for an architecture that its nvcc does not support",
    .page = kPage,
    .check = Check};

}  // namespace culprit::rules::recipe_nvcc_unknown_arch
