// CUL7005: a framework or program has only PTX for this GPU, which the driver compiles on first use.
#include "rules/kit/gpu_code/gpu_code_facts.h"

namespace culprit::rules::runs_by_jit_only {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The file has no machine code for this GPU. The driver compiles its PTX on first use and caches the result in
~/.nv/ComputeCache.

## Why it breaks
Nothing breaks. The first start takes minutes, again after each update of the driver or the program, and every time in a
container that does not keep the cache.

## How culprit knows
It reads the GPU code headers: only PTX runs on this GPU, and the driver supports that PTX version.

## Fix
Wait once. Make the cache large enough (CUDA_CACHE_MAXSIZE) and keep it (CUDA_CACHE_PATH). Or install a build with machine
code for this GPU.

## When this is not your problem
The delay does not matter to you.

## Sources
CUDA programming guide and nvcc documentation on GPU compilation (binary and PTX compatibility); docs/fatbin-format.md;
data/architectures.toml.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const GpuFit& fit : GpuFits(scene, Role::kLeads, ruling)) {
    if (fit.fit != Fit::kJit) continue;
    report::Finding& finding =
        Fire(ruling, fit, "has only PTX for " + DisplayName(*fit.gpu) + ": the first start is slow");
    finding.fix = {.text = "keep the driver's cache, so that the PTX is compiled only once",
                   .commands = {"export CUDA_CACHE_MAXSIZE=4294967296"},
                   .risk = report::Risk::kNone,
                   .changes = {report::NotInFiles{"a compute cache that is large enough",
                                                  "it fills at the first start, and this note stays"}}};
  }
}

}  // namespace

extern const Rule kRule = {
    .code = "CUL7005",
    .name = "runs_by_jit_only",
    .family = Family::kGpuCode,
    .cause = "arch-unsupported",
    .severity = report::Severity::kNote,
    .since = "0.2.0",
    .title = "a framework or program has only PTX for this GPU, which is compiled on first use",
    .page = kPage,
    .check = Check};

}  // namespace culprit::rules::runs_by_jit_only
