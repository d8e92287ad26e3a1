// CUL1014: the driver branch dropped this GPU's architecture.

#include "knowledge/arch.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::gpu_dropped_by_driver {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The installed driver branch no longer supports this GPU's architecture.

## Why it breaks
NVIDIA drops old architectures after a branch: Fermi after 390, Kepler after 470, Maxwell, Pascal and Volta after 580.
A newer driver loads but ignores the GPU: "The NVIDIA GPU installed in this system is supported through the NVIDIA
Legacy drivers", and nvidia-smi shows no device.

## How culprit knows
The GPU's compute capability, from its PCI id or from --host, and its last branch in the table data/architectures.toml.

## Fix
Install the last branch that supports it, and CUDA builds that this branch runs. If another GPU in the machine needs a newer
branch, no driver supports both.

## When this is not your problem
You use another GPU of this machine.

## Sources
NVIDIA, legacy GPU lists and driver release notes, as cited in data/architectures.toml.
)md";

// A GPU of this machine that needs a newer branch.
const snapshot::Gpu* NeedsNewer(const Scene& scene, uint32_t branch) {
  for (const snapshot::Gpu* gpu : KnownGpus(scene)) {
    const auto capability = base::Version::Parse(gpu->compute_capability);
    const auto* row = capability ? knowledge::FindCapability(*capability) : nullptr;
    if (row != nullptr && !row->jetson && row->first_driver_branch > branch) return gpu;
  }
  return nullptr;
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const UndrivenGpu& undriven : UndrivenGpus(scene, ruling)) {
    const auto& [driver, version, gpu, capability, row] = undriven;
    if (knowledge::DriverDrives(version, capability, scene.platform()).verdict != knowledge::Verdict::kNo)
      continue;
    if (row->last_driver_branch == 0 || version.part(0) <= row->last_driver_branch) continue;
    const std::string branch = std::to_string(row->last_driver_branch);
    report::Finding& finding = Fire(scene, ruling, undriven,
                                    "driver " + *driver->kernel_version + " no longer supports the " +
                                        NameOf(*gpu) + "; the last branch that does is " + branch,
                                    branch + "; newer ones do not support this GPU");
    if (const snapshot::Gpu* other = NeedsNewer(scene, row->last_driver_branch)) {
      finding.fix.text = "no driver supports both this GPU and the " + NameOf(*other) +
                         ", which needs a newer branch: use each in a separate machine";
      finding.fix.changes = {
          report::NotInFiles{"only one of the two GPUs in this machine", "changing files does not do that"}};
    } else if (const auto drivers = knowledge::DriversOfBranch(row->last_driver_branch);
               drivers && !scene.OnWindows()) {
      finding.fix.changes = {report::InstallDriver{std::string(drivers->newest)}};
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL1014",
                           .name = "gpu_dropped_by_driver",
                           .family = Family::kDriver,
                           .cause = "driver-not-loaded",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "the driver no longer supports this GPU",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::gpu_dropped_by_driver
