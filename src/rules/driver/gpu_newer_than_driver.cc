// CUL1015: the driver does not know this GPU yet.
#include <algorithm>
#include <optional>

#include "knowledge/arch.h"
#include "rules/kit/driver/driver_choice.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::gpu_newer_than_driver {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The GPU is of an architecture that came after the driver branch that is installed.

## Why it breaks
A driver does not know GPUs that are newer than itself: it does not bind to them, nvidia-smi shows "No devices were found".

## How culprit knows
Compute capability of the GPU, from its PCI id or from --host, against the first branch that knows it (data/architectures.toml).
The table says from which branch on a GPU is sure to be known. A branch that knows no GPU of the whole architecture is an error,
and so is one that leaves the GPU alone on the machine itself; where an assumed driver knows others of the architecture, it is a
warning. If the driver lists the GPU, it knows it, and the rule says nothing.

## Fix
Install a driver of that branch or a newer one.

## When this is not your problem
Another GPU of the machine is the one that is used.

## Sources
NVIDIA driver release notes and CUDA release notes, as cited in data/architectures.toml.
)md";

// Whether drivers of a branch know some GPU of the architecture.
bool KnowsArchitecture(uint32_t branch, std::string_view architecture) {
  return std::ranges::any_of(knowledge::Capabilities(), [&](const knowledge::Capability& row) {
    return row.architecture == architecture && row.first_driver_branch != 0 &&
           row.first_driver_branch <= branch;
  });
}

void Check(const Scene& scene, Ruling& ruling) {
  const auto& driver = scene.stack().driver;
  const auto version = driver ? ModuleVersion(*driver) : std::nullopt;
  if (!version) return ruling.NotApplicable();
  for (const UndrivenGpu& undriven : UndrivenGpus(scene, *driver)) {
    const auto& [gpu, capability, row] = undriven;
    if (row->first_driver_branch == 0 || version->part(0) >= row->first_driver_branch) continue;
    const std::string branch = std::to_string(row->first_driver_branch);
    report::Finding& finding = ruling.Fire("driver " + *driver->kernel_version + " is older than the " +
                                               NameOf(*gpu) + ", which needs branch " + branch + " or newer",
                                           gpu->bus_id.empty() ? NameOf(*gpu) : gpu->bus_id);
    finding.fix = {.text = "install a driver of branch " + branch + " or newer",
                   .commands = {},
                   .risk = "medium",
                   .changes = {}};
    if (const std::string choice = ChooseDriver(scene).version; !choice.empty())
      finding.fix.changes = {report::InstallDriver{choice}};
    if ((gpu->assumed || driver->assumed) && KnowsArchitecture(version->part(0), row->architecture))
      finding.severity = report::Severity::kWarning;  // nobody has tried it
    finding.evidence = BranchEvidence(*driver, undriven);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL1015",
                           .name = "gpu_newer_than_driver",
                           .cause = "driver-too-old",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "the driver is older than this GPU",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::gpu_newer_than_driver
