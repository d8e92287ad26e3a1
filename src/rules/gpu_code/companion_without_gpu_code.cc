// CUL7006: a package with its own kernels has none for this GPU.
#include "rules/kit/gpu_code/fitting_build.h"
#include "rules/kit/gpu_code/gpu_code_facts.h"

namespace culprit::rules::companion_without_gpu_code {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The framework itself may run on this GPU, but a package with its own kernels (xformers, flash-attn, torchvision,
torchaudio, bitsandbytes, CuPy) was built without code for it.

## Why it breaks
"no kernel image is available for execution on the device" as soon as a program calls one of its operators. Everything else
works.

## How culprit knows
It reads the GPU code headers in the package's library, as for CUL7001.

## Fix
Install a newer build of the package, or build it for this GPU (TORCH_CUDA_ARCH_LIST when building from source).

## When this is not your problem
Your program does not use that package's operators on the GPU.

## Sources
CUDA programming guide and nvcc documentation on GPU compilation (binary and PTX compatibility); docs/fatbin-format.md;
data/architectures.toml.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const GpuFit& fit : GpuFits(scene, Role::kBuiltOn, ruling)) {
    if (fit.fit != Fit::kNone && fit.fit != Fit::kPtxTooNew) continue;
    if (fit.framework->name == "cupy" && fit.fit == Fit::kNone && fit.gpu_is_older) continue;  // CUL7002
    report::Finding& finding =
        Fire(ruling, fit, "has no code for " + DisplayName(*fit.gpu) + ", only for " + fit.has);
    finding.fix = AnotherBuild(fit);  // the tables do not list for which GPUs these packages have code
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL7006",
                           .name = "companion_without_gpu_code",
                           .family = Family::kGpuCode,
                           .cause = "arch-unsupported",
                           .severity = report::Severity::kWarning,
                           .since = "0.2.0",
                           .title = "a package with its own kernels has none for this GPU",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::companion_without_gpu_code
