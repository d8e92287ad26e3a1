// CUL1020: the kernel module is not signed and secure boot is on.
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::secure_boot_blocks_module {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
Secure boot is on, and the driver's kernel module for the running kernel is not signed.

## Why it breaks
Under secure boot the kernel loads only signed modules: `modprobe: ERROR: could not insert 'nvidia': Key was rejected by
service` or "Operation not permitted".

## How culprit knows
The firmware variable SecureBoot; nvidia.ko has no signature at its end. culprit cannot check a compressed module, nor whether
the key of a signed one is enrolled.

## Fix
Sign the module with an enrolled key (DKMS does it if a MOK is set up), use the distribution's signed modules, or switch secure
boot off in the firmware.

## When this is not your problem
The module is loaded.

## Sources
Linux, Documentation/admin-guide/module-signing.rst; mokutil(1).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::Driver* driver = KernelSide(scene, ruling);
  if (driver == nullptr) return;
  if (InContainer(scene) || IsLoaded(*driver, "nvidia") || !driver->module_files ||
      Circumstances(scene).secure_boot != "on") {
    return ruling.NotApplicable();
  }
  for (const snapshot::Gpu* gpu : KnownGpus(scene)) {
    if (!gpu->bound_to.empty() && gpu->bound_to != "nvidia") return;
  }
  for (const snapshot::ModuleFile& file : *driver->module_files) {
    if (file.kernel != driver->running_kernel || !file.unsigned_file) continue;
    report::Finding& finding = ruling.Fire(
        "secure boot is on and " + file.path + " is not signed, so the kernel rejects it", file.path);
    finding.evidence.push_back({"secure boot is on", "/sys/firmware/efi/efivars/SecureBoot-*"});
    finding.evidence.push_back({"the module has no signature", file.path});
    finding.evidence.push_back(ModuleEvidence(*driver));
    finding.fix = {
        .text =
            "sign the module with an enrolled key (rebuild it with DKMS and a MOK), or switch secure boot "
            "off in the firmware",
        .commands = {"mokutil --sb-state", "sudo modprobe nvidia"},
        .risk = report::Risk::kMedium,
        .changes = {report::LoadModule{"nvidia", file.version}}};
    AddNodeMaker(scene, finding.fix);
    AddNodes(scene, finding.fix);
    return;
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL1020",
                           .name = "secure_boot_blocks_module",
                           .family = Family::kDriver,
                           .cause = "driver-not-loaded",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "secure boot rejects the unsigned kernel module",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::secure_boot_blocks_module
