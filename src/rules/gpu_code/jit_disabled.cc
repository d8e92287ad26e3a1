// CUL7004: a variable forbids or forces compiling PTX, and so nothing runs on this GPU.
#include "rules/kit/gpu_code/gpu_code_facts.h"
#include "rules/kit/python/package_facts.h"

namespace culprit::rules::jit_disabled {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
CUDA_DISABLE_PTX_JIT (or CUDA_DISABLE_JIT) forbids the driver to compile PTX, and the framework has nothing but PTX for
this GPU; or CUDA_FORCE_PTX_JIT demands PTX where the framework has only machine code.

## Why it breaks
"no kernel image is available for execution on the device", though the build supports the GPU.

## How culprit knows
It judges the GPU code of the library with the variables of this shell and without them.

## Fix
Unset the variable. These are meant for testing whether a build carries what it should.

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
    report::Finding& finding = ruling.Fire(variable + "=" + std::string(scene.Variable(variable)) +
                                               " leaves " + TitleOf(*fit.environment, *fit.framework) +
                                               " without code for " + DisplayName(*fit.gpu),
                                           variable);
    Explain(fit, finding);
    finding.evidence.push_back({variable + "=" + std::string(scene.Variable(variable)), "environment"});
    finding.fix = {.text = "unset the variable",
                   .commands = {scene.OnWindows() ? "set " + variable + "=" : "unset " + variable},
                   .risk = "none",
                   .changes = {report::UnsetVariable{variable}}};
  }
}

}  // namespace

extern const Rule kRule = {
    .code = "CUL7004",
    .name = "jit_disabled",
    .cause = "arch-unsupported",
    .severity = report::Severity::kError,
    .since = "0.2.0",
    .title = "a variable forbids or forces compiling PTX, and so nothing runs on this GPU",
    .page = kPage,
    .check = Check};

}  // namespace culprit::rules::jit_disabled
