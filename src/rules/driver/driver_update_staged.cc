// CUL1009: the module on disk is not the loaded one.
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::driver_update_staged {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The kernel module on disk has another version than the loaded one. libcuda still matches the loaded one.

## Why it breaks
At the next boot, or when the module is reloaded, module and libraries will no longer match, unless the libraries are updated
too.

## How culprit knows
The version of the loaded module from /sys, and the version of the running kernel's nvidia.ko from the module file.

## Fix
Finish the update, so that libraries and module have the same version, then reboot.

## When this is not your problem
The update is still running.

## Sources
modinfo(8): the field version; /sys/module/nvidia/version.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::Driver* driver = KernelSide(scene, ruling);
  if (driver == nullptr) return;
  const loader::Scenario* any = AnyProgram(scene);
  if (!driver->kernel_version || !driver->module_files || InContainer(scene) || any == nullptr) {
    return ruling.NotApplicable();
  }
  const auto cuda = FindLoaded(scene, *any, "libcuda.so");
  if (!cuda || cuda->version != *driver->kernel_version) return;  // already a mismatch: CUL1007
  for (const snapshot::ModuleFile& file : *driver->module_files) {
    if (file.kernel != driver->running_kernel || file.version.empty()) continue;
    if (file.version == *driver->kernel_version) return;  // one of several directories has the loaded one
  }
  for (const snapshot::ModuleFile& file : *driver->module_files) {
    if (file.kernel != driver->running_kernel || file.version.empty()) continue;
    report::Finding& finding = ruling.Fire("the module on disk is " + file.version +
                                               ", the loaded one and libcuda are " + *driver->kernel_version,
                                           file.path);
    finding.evidence.push_back(ModuleEvidence(*driver));
    finding.evidence.push_back({"the module for the running kernel is " + file.version, file.path});
    finding.evidence.push_back({"libcuda.so.1 is " + cuda->version, cuda->object->real_path});
    finding.fix = {.text = "finish the update: install the libraries in version " + file.version +
                           " too, the version of the module on disk, then reboot",
                   .commands = {"modinfo -F version nvidia", "cat /sys/module/nvidia/version"},
                   .risk = report::Risk::kLow,
                   .changes = {report::InstallDriver{file.version}}};
    return;
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL1009",
                           .name = "driver_update_staged",
                           .family = Family::kDriver,
                           .cause = "driver-library-mismatch",
                           .severity = report::Severity::kWarning,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "a driver update is pending a reboot",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::driver_update_staged
