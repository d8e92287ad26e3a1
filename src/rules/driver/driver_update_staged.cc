// CUL1009: the module on disk is not the one that runs.
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::driver_update_staged {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The kernel module on disk is of another version than the one that is loaded. libcuda still fits the loaded one.

## Why it breaks
At the next boot, or when the module is reloaded, the two halves of the driver will no longer belong together, unless the
libraries are updated too.

## How culprit knows
Version of the loaded module from /sys, version of nvidia.ko of the running kernel from the module file.

## Fix
Bring libraries and module to one version (finish the update), then reboot.

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
  if (!cuda || cuda->version != *driver->kernel_version) return;  // a mismatch already: its own rule
  for (const snapshot::ModuleFile& file : *driver->module_files) {
    if (file.kernel != driver->running_kernel || file.version.empty()) continue;
    if (file.version == *driver->kernel_version) return;  // one of several directories holds the loaded one
  }
  for (const snapshot::ModuleFile& file : *driver->module_files) {
    if (file.kernel != driver->running_kernel || file.version.empty()) continue;
    report::Finding& finding = ruling.Fire("the module on disk is " + file.version +
                                               ", the loaded one and libcuda are " + *driver->kernel_version,
                                           file.path);
    finding.evidence.push_back(ModuleEvidence(*driver));
    finding.evidence.push_back({"the module for the running kernel is " + file.version, file.path});
    finding.evidence.push_back({"libcuda.so.1 is " + cuda->version, cuda->object->real_path});
    finding.fix = {.text = "finish the update: bring the libraries to " + file.version +
                           " too, the version of the module on disk, then reboot",
                   .commands = {"modinfo -F version nvidia", "cat /sys/module/nvidia/version"},
                   .risk = "low",
                   .changes = {report::InstallDriver{file.version}}};
    return;
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL1009",
                           .name = "driver_update_staged",
                           .cause = "driver-library-mismatch",
                           .severity = report::Severity::kWarning,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "a driver update waits for a reboot",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::driver_update_staged
