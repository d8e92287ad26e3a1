// CUL1005: the kernel's open-source driver holds the GPU.
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::nouveau_holds_gpu {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
nouveau (or nova), the driver that comes with Linux, holds the GPU. CUDA needs NVIDIA's driver.

## Why it breaks
Only one kernel driver can hold a device. While nouveau holds it, NVIDIA's module cannot bind: nvidia-smi finds no driver,
cudaErrorNoDevice.

## How culprit knows
The GPU's `driver` symlink in /sys/bus/pci/devices names the driver that holds it.

## Fix
Install NVIDIA's driver; its packages blacklist nouveau. If nouveau still comes first, rebuild the initramfs and reboot. Do not
unload nouveau under a running desktop.

## When this is not your problem
You use a second NVIDIA GPU only for the desktop, through nouveau: the two drivers then run side by side.

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
  // If NVIDIA's driver is not installed, that is reported first.
  if (held == nullptr || FindDriverLibrary(*driver) == nullptr) return;
  report::Finding& finding = ruling.Fire(
      held->bound_to + " holds the " + NameOf(*held) + ", so NVIDIA's driver cannot use it", held->bus_id);
  if (others) finding.severity = report::Severity::kNote;
  finding.evidence.push_back({"its kernel driver is " + held->bound_to, held->source + "/driver"});
  finding.evidence.push_back(ModuleEvidence(*driver));
  const bool debian = Circumstances(scene).distribution.find("Debian") != std::string::npos ||
                      Circumstances(scene).distribution.find("Ubuntu") != std::string::npos;
  const std::string list = "/etc/modprobe.d/blacklist-" + held->bound_to + ".conf";
  finding.fix = {.text = "blacklist " + held->bound_to + ", rebuild the initramfs and reboot",
                 .commands = {"echo 'blacklist " + Plain(held->bound_to) + "' | sudo tee " + Word(list),
                              debian ? Command("sudo update-initramfs -u") : "sudo dracut --force"},
                 .risk = report::Risk::kMedium,
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
                           .family = Family::kDriver,
                           .cause = "driver-not-loaded",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "nouveau or nova holds the GPU",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::nouveau_holds_gpu
