// CUL1006: the GPU is reserved for virtual machines.
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::gpu_bound_elsewhere {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
Every NVIDIA GPU of this machine is bound to vfio-pci, which passes devices through to virtual machines.

## Why it breaks
NVIDIA's driver on the host cannot use a device that is bound to vfio-pci: nvidia-smi shows "No devices were found".

## How culprit knows
The `driver` symlink of each GPU in /sys/bus/pci/devices.

## Fix
Run inside the virtual machine, or give one GPU back to the driver: unbind it from vfio-pci and bind it to nvidia.

## When this is not your problem
You pass the GPU through on purpose and use CUDA in the guest.

## Sources
Linux, Documentation/driver-api/vfio.rst; sysfs.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::Driver* driver = KernelSide(scene, ruling);
  if (driver == nullptr) return;
  const std::vector<const snapshot::Gpu*> gpus = KnownGpus(scene);
  if (gpus.empty() || FindDriverLibrary(*driver) == nullptr) return ruling.NotApplicable();
  for (const snapshot::Gpu* gpu : gpus) {
    if (gpu->bound_to != "vfio-pci" && gpu->bound_to != "pci-stub") return;
  }
  const std::string& bus_id = gpus.front()->bus_id;
  const Command bus = Plain(bus_id);
  report::Finding& finding =
      ruling.Fire(gpus.front()->bound_to + " holds the " + NameOf(*gpus.front()) +
                      (gpus.size() > 1 ? " and all other GPUs" : "") + ", so NVIDIA's driver cannot use it",
                  bus_id);
  for (const snapshot::Gpu* gpu : gpus) {
    finding.evidence.push_back({NameOf(*gpu) + " is bound to " + gpu->bound_to, gpu->source + "/driver"});
  }
  finding.fix = {
      .text =
          "give the GPU back to the driver (no virtual machine may use it), or run inside the virtual "
          "machine",
      .commands = {"echo " + bus + " | sudo tee /sys/bus/pci/devices/" + bus + "/driver/unbind",
                   "echo | sudo tee /sys/bus/pci/devices/" + bus + "/driver_override", "sudo modprobe nvidia",
                   "echo " + bus + " | sudo tee /sys/bus/pci/drivers_probe"},
      .risk = report::Risk::kHigh,
      .changes = {report::BindGpu{bus_id, "nvidia"},
                  report::LoadModule{"nvidia", FindDriverLibrary(*driver)->version}}};
  AddNodeMaker(scene, finding.fix);
  AddNodes(scene, finding.fix);
}

}  // namespace

extern const Rule kRule = {.code = "CUL1006",
                           .name = "gpu_bound_elsewhere",
                           .family = Family::kDriver,
                           .cause = "driver-not-loaded",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "every GPU is passed through to a virtual machine (vfio-pci)",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::gpu_bound_elsewhere
