// CUL6021: CUDA has no 32-bit libraries for Python.
#include "rules/kit/binary_facts.h"
#include "rules/rule.h"

namespace culprit::rules::python_32_bit {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The interpreter is a 32-bit program. CUDA, cuDNN and every framework with GPU support are 64-bit only.

## Why it breaks
"Could not find a version that satisfies the requirement torch", "[WinError 193] %1 is not a valid Win32 application".

## How culprit knows
It reads the header of python.exe.
## Fix
Install the 64-bit Python and recreate the environment with it.

## When this is not your problem
You do not need the GPU in this environment.

## Sources
CUDA Toolkit Release Notes (32-bit native and cross-compilation is removed); wheels of torch for Windows exist for win_amd64 only.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  if (!scene.stack().environments) return ruling.NotApplicable();
  for (const snapshot::PythonEnvironment& environment : *scene.stack().environments) {
    if (environment.interpreter.empty() || BitsOf(scene.view.Open(environment.interpreter)) != 32) continue;
    report::Finding& finding =
        ruling.Fire("the Python of " + environment.prefix + " is 32-bit; CUDA needs 64-bit",
                    environment.interpreter, {environment.prefix});
    finding.affects.push_back(environment.prefix);
    finding.evidence.push_back({environment.interpreter + " is a 32-bit program", environment.interpreter});
    finding.fix = {.text =
                       "install the 64-bit Python (\"Windows installer (64-bit)\") and recreate the "
                       "environment with it",
                   .commands = {"py -0p"},
                   .risk = report::Risk::kLow,
                   .changes = {report::NotInFiles{"an environment with the 64-bit Python",
                                                  "the user chooses where to recreate it"}}};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL6021",
                           .name = "python_32_bit",
                           .family = Family::kPython,
                           .cause = "bitness-mismatch",
                           .severity = report::Severity::kWarning,
                           .where = Where::kWindows,
                           .since = "0.4.0",
                           .title = "the Python of an environment is 32-bit",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::python_32_bit
