// CUL1015: the driver does not support this GPU yet.
#include <algorithm>

#include "knowledge/arch.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::gpu_newer_than_driver {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The GPU's architecture is newer than the installed driver branch.

## Why it breaks
A driver does not know GPUs that are newer than itself. It does not bind to them, and nvidia-smi shows "No devices were found".

## How culprit knows
The GPU's compute capability, from its PCI id or from --host, and the first branch that surely supports it
(data/architectures.toml). It is an error if the branch supports no GPU of that architecture, or if the driver on this machine
does not bind to the GPU. It is a warning if an assumed driver supports other GPUs of the architecture. If the driver lists
the GPU, the rule does not fire.

## Fix
Install a driver of that branch or a newer one.

## When this is not your problem
You use another GPU of this machine.

## Sources
NVIDIA driver release notes and CUDA release notes, as cited in data/architectures.toml.
)md";

// Whether drivers of a branch support some GPU of the architecture.
bool KnowsArchitecture(uint32_t branch, std::string_view architecture) {
  return std::ranges::any_of(knowledge::Capabilities(), [&](const knowledge::Capability& row) {
    return row.architecture == architecture && row.first_driver_branch != 0 &&
           row.first_driver_branch <= branch;
  });
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const UndrivenGpu& undriven : UndrivenGpus(scene, ruling)) {
    const auto& [driver, version, gpu, capability, row] = undriven;
    if (row->first_driver_branch == 0 || version.part(0) >= row->first_driver_branch) continue;
    const std::string needs = std::to_string(row->first_driver_branch) + " or newer";
    report::Finding& finding = Fire(scene, ruling, undriven,
                                    "driver " + *driver->kernel_version + " is older than the " +
                                        NameOf(*gpu) + ", which needs branch " + needs,
                                    needs);
    if ((gpu->assumed || driver->assumed) && KnowsArchitecture(version.part(0), row->architecture))
      finding.severity = report::Severity::kWarning;  // untested
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL1015",
                           .name = "gpu_newer_than_driver",
                           .family = Family::kDriver,
                           .cause = "driver-too-old",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "the driver is older than this GPU",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::gpu_newer_than_driver
