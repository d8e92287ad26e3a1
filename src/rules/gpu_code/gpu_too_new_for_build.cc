// CUL7001: a framework or program has no code for this GPU, which is newer than the build.
#include "rules/kit/gpu_code/fitting_build.h"
#include "rules/kit/gpu_code/gpu_code_facts.h"

namespace culprit::rules::gpu_too_new_for_build {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A library of the framework, or a file that the program loads, contains machine code for some GPU architectures. None
of it runs on this GPU, and there is no PTX that the driver could compile for it. The GPU is newer than the build, or
the build left it out.
## Why it breaks
"CUDA error: no kernel image is available for execution on the device" (209) at the first kernel, or a warning like
"sm_120 is not compatible with the current PyTorch installation".

## How culprit knows
It reads the GPU code headers in the file, container by container, and checks each: machine code runs on GPUs of the
same major version with the same or a later minor version, sm_90a only on sm_90, sm_100f in its family, PTX on
everything later.
## Fix
Install a newer build of the framework, or one for a newer CUDA; build your own program again with `-gencode` for this GPU. A
newer driver or toolkit does not help: the code is missing.

## When this is not your problem
Your program uses another GPU that it has code for.

## Sources
CUDA programming guide and nvcc documentation on GPU compilation (binary and PTX compatibility); docs/fatbin-format.md;
data/architectures.toml.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const GpuFit& fit : GpuFits(scene, Role::kLeads, ruling)) {
    if (fit.fit == Fit::kUnknown) ruling.NotEnoughFacts("GPU code of " + fit.library, fit.why);
    if (fit.fit != Fit::kNone || fit.gpu_is_older) continue;
    report::Finding& finding =
        Fire(ruling, fit, "has no code for " + DisplayName(*fit.gpu) + ", only for " + fit.has);
    finding.fix = BuildForThisGpu(scene, fit);
  }
}

}  // namespace

extern const Rule kRule = {
    .code = "CUL7001",
    .name = "gpu_too_new_for_build",
    .family = Family::kGpuCode,
    .cause = "arch-unsupported",
    .severity = report::Severity::kError,
    .since = "0.2.0",
    .title = "a framework or program has no code for this GPU, which is newer than the build",
    .page = kPage,
    .check = Check};

}  // namespace culprit::rules::gpu_too_new_for_build
