// CUL4032: a Dockerfile installs a framework built for another CUDA than its base image has.
#include "base/version.h"
#include "rules/kit/recipe/recipe_toolkit.h"

namespace culprit::rules::recipe_framework_other_cuda {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A framework that loads the image's CUDA libraries is installed into an nvidia/cuda image with a different CUDA.
## Why it breaks
CUDA libraries have their major version in their names: "libcublasLt.so.11: cannot open shared object file" on an
image with CUDA 12. ONNX Runtime then falls back to the CPU; CTranslate2 and TensorFlow fail, or see no GPU.
## How culprit knows
From the base image's tag, and the CUDA that the installed release was built with (data/frameworks.toml): on the
package index, ONNX Runtime is built for CUDA 11 up to 1.18, and for CUDA 12 from 1.19.
## Fix
Build on an image with that CUDA, or install a build of the framework for the image's CUDA.
## When this is not your problem
The libraries come from a place that culprit does not read. Culprit is silent if the Dockerfile installs CUDA, PyTorch
or JAX packages, copies from another stage, runs a script, or installs a requirements file.
## Sources
data/frameworks.toml, with the source of each row; NVIDIA CUDA documentation, Release Notes (names of libraries).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const auto& [build, view] : FrameworksOnImages(scene)) {
    const auto cuda = base::Version::Parse(view.image.cuda);
    if (!cuda) continue;
    const auto answer = knowledge::FrameworkWithCuda(*build.row, *cuda, base::Platform::kLinux);
    if (answer.verdict != knowledge::Verdict::kNo) continue;
    report::Finding& finding = FireAt(ruling,
                                      build.title + " is built for CUDA " + std::string(build.row->cuda) +
                                          ", " + view.base->image + " has " + view.image.cuda,
                                      *build.recipe, *build.part, build.line, {build.framework});
    finding.evidence = {ImageEvidence(view), build.evidence, {answer.why, std::string(answer.source)}};
    finding.fix = {.text = "build on an image with CUDA " + std::string(build.row->cuda) +
                           ", or install a build of " + build.framework + " for CUDA " + view.image.cuda,
                   .commands = {},
                   .risk = report::Risk::kLow};
  }
}

}  // namespace

extern const Rule kRule = {
    .code = "CUL4032",
    .name = "recipe_framework_other_cuda",
    .family = Family::kToolkit,
    .explains = Explains::kNothing,
    .cause = "cuda-version-mismatch",
    .severity = report::Severity::kError,
    .looks_at = LooksAt::kRecipe,
    .since = "0.9.0",
    .title = "a Dockerfile installs a framework built for another CUDA than its base image has",
    .page = kPage,
    .check = Check};

}  // namespace culprit::rules::recipe_framework_other_cuda
