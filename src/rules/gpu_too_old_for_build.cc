// CUL7002: the framework has no code that runs on this GPU, which is older than the build supports.
#include "rules/fitting_build.h"
#include "rules/gpu_code_facts.h"
#include "rules/table.h"

namespace culprit::rules {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
Everything that the framework's library holds is for GPUs of later generations than this one. Builds drop old
generations: CUDA 13 compiles nothing before Turing (sm_75), and frameworks drop more.

## Why it breaks
"CUDA error: no kernel image is available for execution on the device"; PyTorch names the lowest capability that it
supports in a warning.

## How culprit knows
It reads the headers of the GPU code in the library; the lowest architecture in it is above that of the GPU.

## Fix
An older build of the framework, or one for an older CUDA. PTX does not help downwards.

## When this is not your problem
Another GPU of the machine runs the framework, and the program never uses this one.

## Sources
CUDA programming guide and nvcc documentation on GPU compilation (binary and PTX compatibility); docs/fatbin-format.md;
data/architectures.toml.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const GpuFit& fit : GpuFits(scene, Role::kLeads, ruling)) {
    if (fit.fit != Fit::kNone || !fit.gpu_is_older) continue;
    report::Finding& finding = ruling.Fire(TitleOf(*fit.environment, *fit.framework) + " begins with " +
                                               fit.lowest + ", the GPU is " + DisplayName(*fit.gpu),
                                           fit.library);
    Explain(fit, finding);
    finding.fix = BuildForThisGpu(scene, fit);
  }
}

}  // namespace

const Rule kGpuTooOldForBuild = {
    .code = "CUL7002",
    .name = "gpu_too_old_for_build",
    .cause = "arch-unsupported",
    .severity = report::Severity::kError,
    .since = "0.2.0",
    .title = "the framework has no code that runs on this GPU, which is older than the build supports",
    .page = kPage,
    .check = Check};

}  // namespace culprit::rules
