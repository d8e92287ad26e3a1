// CUL3032: a Dockerfile installs a framework that needs another cuDNN than its base image has.
#include "base/version.h"
#include "rules/kit/python/package_facts.h"
#include "rules/kit/recipe/recipe_toolkit.h"

namespace culprit::rules::recipe_framework_other_cudnn {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A framework that loads the image's cuDNN is installed into an nvidia/cuda image with a different cuDNN.
## Why it breaks
cuDNN has its major version in its file names: "Unable to load any of {libcudnn_ops.so.9.1.0, libcudnn_ops.so.9.1,
libcudnn_ops.so.9, libcudnn_ops.so}" on an image with cuDNN 8. The program fails at the first convolution, or the
framework falls back to the CPU.
## How culprit knows
From the base image's tag (cudnn8; since CUDA 12.4, cudnn alone means 9), and the cuDNN that the installed release
needs (data/frameworks.toml): CTranslate2 needs cuDNN 9 from 4.5, ONNX Runtime for CUDA 12 needs it from 1.18.1.
## Fix
Build on an image with that cuDNN, or install a release of the framework for the image's cuDNN.
## When this is not your problem
The libraries come from a place that culprit does not read. Culprit is silent if the Dockerfile installs CUDA, PyTorch
or JAX packages, copies from another stage, runs a script, or installs a requirements file.
## Sources
data/frameworks.toml, with the source of each row; gitlab.com/nvidia/container-images/cuda, as in taehun-kmu/FMCL-Docker@0336e30f: doc/README.md (tags).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const auto& [build, view] : FrameworksOnImages(scene)) {
    const auto cudnn = base::Version::Parse(view.image.cudnn);
    // The tag of an image often tells the major alone: then its minor is not known to be too old.
    if (!cudnn || view.image.cudnn == MajorOf(build.row->cudnn)) continue;
    const auto answer = knowledge::FrameworkWithCudnn(*build.row, *cudnn, base::Platform::kLinux);
    if (answer.verdict != knowledge::Verdict::kNo) continue;
    report::Finding& finding = FireAt(ruling,
                                      build.title + " needs cuDNN " + MajorOf(build.row->cudnn) + ", " +
                                          view.base->image + " has " + view.image.cudnn,
                                      *build.recipe, *build.part, build.line, {build.framework});
    finding.evidence = {ImageEvidence(view), build.evidence, {answer.why, std::string(answer.source)}};
    finding.fix = {.text = "build on an image with cuDNN " + MajorOf(build.row->cudnn) +
                           ", or install a release of " + build.framework + " for cuDNN " + view.image.cudnn,
                   .commands = {},
                   .risk = report::Risk::kLow};
  }
}

}  // namespace

extern const Rule kRule = {
    .code = "CUL3032",
    .name = "recipe_framework_other_cudnn",
    .family = Family::kCudnn,
    .explains = Explains::kNothing,
    .cause = "cudnn-version-mismatch",
    .severity = report::Severity::kError,
    .looks_at = LooksAt::kRecipe,
    .since = "0.9.0",
    .title = "a Dockerfile installs a framework that needs another cuDNN than its base image has",
    .page = kPage,
    .check = Check};

}  // namespace culprit::rules::recipe_framework_other_cudnn
