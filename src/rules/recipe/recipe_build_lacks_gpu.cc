// CUL7031: a framework that a recipe installs has no code for the host's GPU.
#include "base/version.h"
#include "knowledge/packages/frameworks.h"
#include "rules/kit/recipe/recipe_builds.h"

namespace culprit::rules::recipe_build_lacks_gpu {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The framework release in the recipe was built without code for the GPU that --host names.
## Why it breaks
"no kernel image is available for execution on the device", "sm_120 is not compatible with the current PyTorch installation".

## How culprit knows
From the version in the pip command or in the image tag, the CUDA variant of the package index, and the GPU code of
that build (data/frameworks.toml).
## Fix
Install a newer release, or a variant for a newer CUDA: `culprit plan torch --host gpu=NAME` names one.

## When this is not your problem
The image is meant for another GPU: name it with `--host gpu=NAME`.
## Sources
The cubins in the wheels themselves.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  if (!scene.stack().gpus) return ruling.NotApplicable();
  for (const PartView& view : Started(scene)) {
    for (const RecipeBuild& build : BuildsOf(view)) {
      for (const snapshot::Gpu& gpu : *scene.stack().gpus) {
        const auto capability = base::Version::Parse(gpu.compute_capability);
        if (!capability || build.row == nullptr) continue;
        const auto answer =
            knowledge::FrameworkOnGpu(*build.row, *capability, nullptr, base::Platform::kLinux);
        if (answer.verdict != knowledge::Verdict::kNo) continue;
        report::Finding& finding =
            FireAt(ruling,
                   build.title + " of " + view.part->name + " has no code for compute capability " +
                       gpu.compute_capability,
                   *build.recipe, *build.part, build.line, {build.title, gpu.compute_capability});
        finding.evidence = {build.evidence, {answer.why, std::string(answer.source)}};
        finding.fix = {.text = "install a release or variant with code for this GPU",
                       .commands = {"culprit plan " + Plain(build.framework) +
                                    " --host gpu=" + Plain(gpu.compute_capability)},
                       .risk = report::Risk::kLow};
      }
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL7031",
                           .name = "recipe_build_lacks_gpu",
                           .family = Family::kGpuCode,
                           .explains = Explains::kNothing,
                           .cause = "arch-unsupported",
                           .severity = report::Severity::kError,
                           .looks_at = LooksAt::kRecipe,
                           .since = "0.9.0",
                           .title = "a framework that a recipe installs has no code for the host's GPU",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::recipe_build_lacks_gpu
