// CUL1025: the driver is installed, but there is no GPU.
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::gpu_absent {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The driver's libraries are installed, but no NVIDIA GPU is on the PCI bus.

## Why it breaks
The kernel module does not load without a GPU: cudaErrorNoDevice, "no CUDA-capable device is detected". A virtual machine or
cloud instance has no GPU attached; a laptop may have switched it off; otherwise it fell off the bus.

## How culprit knows
/sys/bus/pci/devices has no NVIDIA display controller (vendor 10de), and the module is not loaded.

## Fix
Attach a GPU to the instance, switch it on (firmware, prime-select), or reseat it; then check with lspci.

## When this is not your problem
The machine only builds, or runs on the CPU.

## Sources
sysfs; PCI vendor id 10de.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::Driver* driver = KernelSide(scene, ruling);
  if (driver == nullptr) return;
  const snapshot::DriverLibrary* library = FindDriverLibrary(*driver);
  if (library == nullptr || IsLoaded(*driver, "nvidia")) return ruling.NotApplicable();
  const auto& gpus = scene.stack().gpus;
  if (!gpus) return LacksGpus(scene, ruling);
  if (!gpus->empty()) return;
  report::Finding& finding =
      ruling.Fire("no NVIDIA GPU on the PCI bus, though " + library->path + " is installed", "GPU");
  finding.evidence.push_back({"no display controller of vendor 10de", gpus.source});
  finding.evidence.push_back(ModuleEvidence(*driver));
  finding.evidence.push_back(
      {"the driver's library is " + (library->version.empty() ? "installed" : library->version),
       library->real_path});
  const std::string& hypervisor = Circumstances(scene).virtual_machine;
  if (!hypervisor.empty())
    finding.evidence.push_back(
        {"this is a virtual machine (" + hypervisor + ")", Circumstances(scene).virtual_machine_source});
  finding.fix = {
      .text = hypervisor.empty()
                  ? "attach or switch on a GPU, or use another machine; reinstalling the driver does not help"
                  : "set up GPU passthrough on this virtual machine's host, or use an instance type with a "
                    "GPU; reinstalling the driver does not help",
      .commands = scene.OnWindows() ? std::vector<Command>{} : std::vector<Command>{"lspci -d 10de:"},
      .risk = report::Risk::kNone,
      .changes = {report::NotInFiles{"an NVIDIA GPU in this machine", "changing files does not add a GPU"}}};
}

}  // namespace

extern const Rule kRule = {.code = "CUL1025",
                           .name = "gpu_absent",
                           .family = Family::kDriver,
                           .cause = "driver-not-loaded",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "the driver is installed, but there is no NVIDIA GPU",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::gpu_absent
