// CUL7004: a variable disables or forces PTX JIT, so nothing runs on this GPU.
#include "rules/kit/gpu_code/gpu_code_facts.h"

namespace culprit::rules::jit_disabled {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
CUDA_DISABLE_PTX_JIT (or CUDA_DISABLE_JIT) stops the driver from compiling PTX, and the framework or program has only PTX for
this GPU; or CUDA_FORCE_PTX_JIT requires PTX, and there is only machine code.

## Why it breaks
"no kernel image is available for execution on the device", though the build supports the GPU.

## How culprit knows
It checks the library's GPU code with this shell's variables and without them.

## Fix
Unset the variable. It is meant for testing what code a build contains.

## When this is not your problem
You test exactly that.

## Sources
CUDA programming guide and nvcc documentation on GPU compilation (binary and PTX compatibility); docs/fatbin-format.md;
data/architectures.toml.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const GpuFit& fit : GpuFits(scene, Role::kLeads, ruling)) {
    if (fit.fit != Fit::kJitOff) continue;
    std::string variable;
    for (const char* name :
         {"CUDA_DISABLE_PTX_JIT", "CUDA_DISABLE_JIT", "CUDA_FORCE_PTX_JIT", "CUDA_FORCE_JIT"}) {
      if (variable.empty() && !scene.Variable(name).empty() && scene.Variable(name) != "0") variable = name;
    }
    const std::string setting = variable + "=" + std::string(scene.Variable(variable));
    report::Finding& finding =
        Fire(ruling, fit, setting + " leaves " + fit.Title() + " without code for " + DisplayName(*fit.gpu),
             variable);
    finding.evidence.push_back({setting, "environment"});
    finding.fix = {
        .text = "unset the variable",
        .commands = {scene.OnWindows() ? "set " + Plain(variable) + "=" : "unset " + Plain(variable)},
        .risk = report::Risk::kNone,
        .changes = {report::UnsetVariable{variable}}};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL7004",
                           .name = "jit_disabled",
                           .family = Family::kGpuCode,
                           .explains = Explains::kPtx | Explains::kFramework,
                           .cause = "arch-unsupported",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "a variable disables or forces PTX JIT, so nothing runs on this GPU",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::jit_disabled
