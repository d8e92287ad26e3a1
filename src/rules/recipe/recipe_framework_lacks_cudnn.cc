// CUL3033: a Dockerfile installs a framework that needs cuDNN on an image without it.
#include "base/version.h"
#include "rules/kit/python/package_facts.h"
#include "rules/kit/recipe/recipe_toolkit.h"

namespace culprit::rules::recipe_framework_lacks_cudnn {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A framework that loads the image's cuDNN is installed into an nvidia/cuda image that has none.
## Why it breaks
"libcudnn.so.9: cannot open shared object file", "Could not locate cudnn": the framework sees no GPU, falls back to
the CPU, or fails at the first convolution.
## How culprit knows
From the base image's tag, which does not contain "cudnn", and the cuDNN that the installed release needs
(data/frameworks.toml).
## Fix
Build on an image with cudnn in its tag, or install nvidia-cudnn-cu12 (or -cu13) with pip and add its directory to
LD_LIBRARY_PATH.
## When this is not your problem
The libraries come from a place that culprit does not read. Culprit is silent if the Dockerfile installs CUDA, PyTorch
or JAX packages, copies from another stage, runs a script, or installs a requirements file.
## Sources
data/frameworks.toml, with the source of each row; gitlab.com/nvidia/container-images/cuda, as in taehun-kmu/FMCL-Docker@0336e30f: doc/README.md (tags).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const auto& [build, view] : FrameworksOnImages(scene)) {
    if (!view.image.cudnn.empty() || build.row->cudnn.empty() || build.row->cudnn == "none") continue;
    const knowledge::Answer answer =
        knowledge::No("the image's tag does not contain cudnn", view.image.source);
    report::Finding& finding = FireAt(
        ruling,
        build.title + " needs cuDNN " + MajorOf(build.row->cudnn) + ", " + view.base->image + " has none",
        *build.recipe, *build.part, build.line, {build.framework});
    finding.evidence = {ImageEvidence(view), build.evidence, {answer.why, std::string(answer.source)}};
    finding.fix = {
        .text = "build on an image with cuDNN " + MajorOf(build.row->cudnn) + " (cudnn in its tag)",
        .commands = {},
        .risk = report::Risk::kLow};
  }
}

}  // namespace

extern const Rule kRule = {
    .code = "CUL3033",
    .name = "recipe_framework_lacks_cudnn",
    .family = Family::kCudnn,
    .explains = Explains::kNothing,
    .cause = "cudnn-missing",
    .severity = report::Severity::kError,
    .looks_at = LooksAt::kRecipe,
    .since = "0.9.0",
    .title = "a Dockerfile installs a framework that needs cuDNN on an image without it",
    .page = kPage,
    .check = Check};

}  // namespace culprit::rules::recipe_framework_lacks_cudnn
