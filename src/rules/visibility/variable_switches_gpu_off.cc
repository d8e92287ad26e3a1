// CUL2021: a variable disables the GPU for an installed package.
#include "rules/kit/python/package_facts.h"
#include "rules/kit/variables/variable_facts.h"

namespace culprit::rules::variable_switches_gpu_off {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
An environment variable in this shell tells a package to use the CPU, or a simulator, instead of the GPU.
## Why it breaks
Nothing fails: the program is only slow, or reports that there is no GPU. The variable is often left over from a test,
a container image or a notebook.
## How culprit knows
From the variable's value and the installed package that reads it; data/variables.toml says what each value means.
## Fix
Unset it, and find what sets it: a shell profile, a Dockerfile, a service file, a notebook.

## When this is not your problem
You want to run on the CPU.

## Sources
data/variables.toml, each row with its source.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  if (GpuPresence(scene) == Presence::kNo) return ruling.NotApplicable();
  for (const ReadVariable& read : ReadVariables(scene, knowledge::VariableKind::kOff)) {
    if (!SwitchesOff(*read.row, read.value)) continue;
    report::Finding& finding = FireVariable(
        ruling, read,
        std::string(read.row->name) + "=" + read.value + " keeps " + read.reader + " off the GPU");
    finding.fix = WithoutVariable(scene, read, "unset it, and find what sets it");
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL2021",
                           .name = "variable_switches_gpu_off",
                           .family = Family::kVisibility,
                           .explains = Explains::kFramework,
                           .cause = "gpu-not-visible",
                           .severity = report::Severity::kWarning,
                           .since = "0.9.0",
                           .title = "a variable disables the GPU for an installed package",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::variable_switches_gpu_off
