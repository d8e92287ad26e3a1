// CUL3033: a Dockerfile installs a framework that needs cuDNN on an image without one.
#include "base/version.h"
#include "rules/kit/python/package_facts.h"
#include "rules/kit/recipe/recipe_toolkit.h"

namespace culprit::rules::recipe_framework_lacks_cudnn {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A framework that loads the cuDNN of the image is installed into an image of nvidia/cuda that has none.

## Why it breaks
"libcudnn.so.9: cannot open shared object file", "Could not locate cudnn": the framework sees no GPU, goes on with the CPU, or ends at the first convolution.

## How culprit knows
The tag of the base image, which has no "cudnn", and the cuDNN that the installed release needs (data/frameworks.toml).

## Fix
Build on the image with cudnn in its tag, or install nvidia-cudnn-cu12 (or -cu13) with pip and put its directory on LD_LIBRARY_PATH.

## When this is not your problem
The libraries come from where culprit does not look: culprit is silent where the Dockerfile installs packages of CUDA, PyTorch or JAX, copies from
another stage, starts a script, or installs a requirements file.

## Sources
data/frameworks.toml, with the source of each row; gitlab.com/nvidia/container-images/cuda, as in taehun-kmu/FMCL-Docker@0336e30f: doc/README.md (tags).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const auto& [build, view] : FrameworksOnImages(scene)) {
    if (!view.image.cudnn.empty() || build.row->cudnn.empty() || build.row->cudnn == "none") continue;
    const knowledge::Answer answer =
        knowledge::No("the tag of the image has no cudnn in it", view.image.source);
    report::Finding& finding = FireAt(
        ruling,
        build.title + " needs cuDNN " + MajorOf(build.row->cudnn) + ", " + view.base->image + " has none",
        *build.recipe, *build.part, build.line, {build.framework});
    finding.evidence = {ImageEvidence(view), build.evidence, {answer.why, std::string(answer.source)}};
    finding.fix = {
        .text = "build on an image with cuDNN " + MajorOf(build.row->cudnn) + ", one with cudnn in its tag",
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
    .title = "a Dockerfile installs a framework that needs cuDNN on an image without one",
    .page = kPage,
    .check = Check};

}  // namespace culprit::rules::recipe_framework_lacks_cudnn
