// CUL1005: the open-source driver of the kernel holds the GPU.
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::nouveau_holds_gpu {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The GPU is driven by nouveau (or nova), the driver that comes with Linux. CUDA needs NVIDIA's.

## Why it breaks
Only one kernel driver can hold a device. While nouveau has it, NVIDIA's module cannot bind: nvidia-smi finds no driver,
cudaErrorNoDevice.

## How culprit knows
The link `driver` of the GPU below /sys/bus/pci/devices names who holds it.

## Fix
Install NVIDIA's driver; its packages put nouveau on a block list. If it still comes first, rebuild the initial ramdisk
and reboot. Do not unload nouveau under a running desktop.

## When this is not your problem
A second NVIDIA GPU that shall only show a desktop through nouveau: two drivers then live side by side.

## Sources
NVIDIA driver README, chapter on the interaction with the Nouveau driver; sysfs.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::Driver* driver = KernelSide(scene, ruling);
  if (driver == nullptr) return;
  bool others = false;
  const snapshot::Gpu* held = nullptr;
  for (const snapshot::Gpu* gpu : KnownGpus(scene)) {
    if (gpu->bound_to == "nouveau" || gpu->bound_to.starts_with("nova")) {
      held = gpu;
    } else if (gpu->bound_to == "nvidia") {
      others = true;
    }
  }
  // Without NVIDIA's driver on the machine the first thing to say is that it is missing.
  if (held == nullptr || FindDriverLibrary(*driver) == nullptr) return;
  report::Finding& finding = ruling.Fire(
      held->bound_to + " holds the " + NameOf(*held) + ", so NVIDIA's driver cannot", held->bus_id);
  if (others) finding.severity = report::Severity::kNote;
  finding.evidence.push_back({"its kernel driver is " + held->bound_to, held->source + "/driver"});
  finding.evidence.push_back(ModuleEvidence(*driver));
  const bool debian = Circumstances(scene).distribution.find("Debian") != std::string::npos ||
                      Circumstances(scene).distribution.find("Ubuntu") != std::string::npos;
  const std::string list = "/etc/modprobe.d/blacklist-" + held->bound_to + ".conf";
  finding.fix = {
      .text = "put " + held->bound_to + " on the block list, rebuild the initial ramdisk and reboot",
      .commands = {"echo 'blacklist " + held->bound_to + "' | sudo tee " + list,
                   debian ? "sudo update-initramfs -u" : "sudo dracut --force"},
      .risk = "medium",
      .changes = {report::PutText{list, "blacklist " + held->bound_to + "\n"}}};
  if (!others) AddNodeMaker(scene, finding.fix);
  finding.fix.commands.emplace_back("sudo reboot");
  for (const snapshot::Gpu* gpu : KnownGpus(scene)) {
    if (gpu->bound_to == held->bound_to)
      finding.fix.changes.push_back(report::BindGpu{gpu->bus_id, "nvidia"});
  }
  finding.fix.changes.push_back(report::LoadModule{"nvidia", FindDriverLibrary(*driver)->version});
}

}  // namespace

extern const Rule kRule = {.code = "CUL1005",
                           .name = "nouveau_holds_gpu",
                           .cause = "driver-not-loaded",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "nouveau or nova holds the GPU",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::nouveau_holds_gpu
