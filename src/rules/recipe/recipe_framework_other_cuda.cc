// CUL4032: a Dockerfile installs a framework for another CUDA than its base image has.
#include "base/version.h"
#include "rules/kit/recipe/recipe_toolkit.h"

namespace culprit::rules::recipe_framework_other_cuda {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A framework that loads the CUDA of the image is installed into an image of nvidia/cuda with another CUDA.

## Why it breaks
The libraries of CUDA have their major version in their names: "libcublasLt.so.11: cannot open shared object file" on an image with CUDA 12. ONNX Runtime then
goes on with the CPU; CTranslate2 and TensorFlow fail, or see no GPU.

## How culprit knows
The tag of the base image, and the CUDA that the installed release was built with (data/frameworks.toml): ONNX Runtime up to 1.18 on the package index is for CUDA 11, from 1.19 on
for CUDA 12.

## Fix
Build on an image with that CUDA, or install a build of the framework for the CUDA of the image.

## When this is not your problem
The libraries come from where culprit does not look: culprit is silent where the Dockerfile installs packages of CUDA, PyTorch or JAX, copies from
another stage, starts a script, or installs a requirements file.

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
    finding.fix = {.text = "build on an image with CUDA " + std::string(build.row->cuda) + ", or install a " +
                           build.framework + " for CUDA " + view.image.cuda,
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
    .title = "a Dockerfile installs a framework for another CUDA than its base image has",
    .page = kPage,
    .check = Check};

}  // namespace culprit::rules::recipe_framework_other_cuda
