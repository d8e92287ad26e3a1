// CUL6021: CUDA has no 32-bit libraries for Python.
#include "rules/kit/binary_facts.h"
#include "rules/rule.h"

namespace culprit::rules::python_32_bit {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The interpreter is a 32-bit program. CUDA, cuDNN and every framework with GPU support exist for 64 bits only.

## Why it breaks
"Could not find a version that satisfies the requirement torch", "[WinError 193] %1 is not a valid Win32 application".

## How culprit knows
The header of python.exe.

## Fix
Install the 64-bit Python and make the environment anew with it.

## When this is not your problem
The environment is not meant for the GPU.

## Sources
CUDA Toolkit Release Notes (32-bit native and cross-compilation is removed); wheels of torch for Windows exist for win_amd64 only.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  if (!scene.stack().environments) return ruling.NotApplicable();
  for (const snapshot::PythonEnvironment& environment : *scene.stack().environments) {
    if (environment.interpreter.empty() || BitsOf(scene.view.Open(environment.interpreter)) != 32) continue;
    report::Finding& finding = ruling.Fire(
        "the Python of " + environment.prefix + " has 32 bits; CUDA needs 64", environment.interpreter);
    finding.affects.push_back(environment.prefix);
    finding.evidence.push_back({environment.interpreter + " is a 32-bit program", environment.interpreter});
    finding.fix = {.text =
                       "install the 64-bit Python (\"Windows installer (64-bit)\") and make the environment "
                       "anew with it",
                   .commands = {"py -0p"},
                   .risk = "low",
                   .changes = {report::NotInFiles{"an environment of the 64-bit Python",
                                                  "it is made anew in a place that its user chooses"}}};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL6021",
                           .name = "python_32_bit",
                           .cause = "bitness-mismatch",
                           .severity = report::Severity::kWarning,
                           .where = Where::kWindows,
                           .since = "0.4.0",
                           .title = "the Python of an environment has 32 bits",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::python_32_bit
