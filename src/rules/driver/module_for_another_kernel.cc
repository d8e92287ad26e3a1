// CUL1004: nvidia.ko exists, but not for the running kernel.
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::module_for_another_kernel {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The driver's kernel module is on disk for other kernels, not for the running one.

## Why it breaks
A kernel update adds a new directory under /lib/modules. The module must be built (DKMS, akmods) or installed for it.
If the headers were missing or the build failed, the new kernel starts without a driver.

## How culprit knows
culprit looks for nvidia.ko in /lib/modules of every kernel and compares with the running kernel's release. The module is not
loaded.

## Fix
Install the headers of the running kernel and build the module, or boot the kernel that has one. Ubuntu's pre-built modules come in
a package for each kernel.

## When this is not your problem
You are in a container: /lib/modules there is not the host's, so the rule does not fire.

## Sources
dkms(8); Ubuntu's linux-modules-nvidia packages; /proc/sys/kernel/osrelease.
)md";

// "535", "535-server-open": the branch of Ubuntu's pre-built modules, which lie in kernel/nvidia-535/; "" for
// those that DKMS built.
std::string PrebuiltBranch(const std::vector<snapshot::ModuleFile>& files) {
  constexpr std::string_view kFolder = "/kernel/nvidia-";
  for (const snapshot::ModuleFile& file : files) {
    const size_t at = file.path.find(kFolder);
    if (at == std::string::npos) continue;
    const std::string branch = file.path.substr(at + kFolder.size());
    return branch.substr(0, branch.find('/'));
  }
  return "";
}

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::Driver* driver = KernelSide(scene, ruling);
  if (driver == nullptr) return;
  if (InContainer(scene) || IsLoaded(*driver, "nvidia") || driver->running_kernel.empty()) {
    return ruling.NotApplicable();
  }
  if (!driver->module_files || driver->module_files->empty()) return ruling.NotApplicable();
  for (const snapshot::Gpu* gpu : KnownGpus(scene)) {
    if (!gpu->bound_to.empty() && gpu->bound_to != "nvidia") return;  // another driver holds it: another rule
  }
  if (scene.stack().gpus && scene.stack().gpus->empty()) return;
  std::string others;
  for (const snapshot::ModuleFile& file : *driver->module_files) {
    if (file.kernel == driver->running_kernel) return;
    if (others.find(file.kernel) == std::string::npos) others += (others.empty() ? "" : ", ") + file.kernel;
  }
  report::Finding& finding = ruling.Fire(
      "the running kernel is " + driver->running_kernel + ", the NVIDIA module was built for " + others,
      "nvidia.ko");
  finding.evidence.push_back(
      {"the running kernel is " + driver->running_kernel, "/proc/sys/kernel/osrelease"});
  for (const snapshot::ModuleFile& file : *driver->module_files) {
    finding.evidence.push_back({"a module for kernel " + file.kernel, file.path});
  }
  finding.evidence.push_back(ModuleEvidence(*driver));
  const std::string& distribution = Circumstances(scene).distribution;
  // DKMS builds it from the installed driver's sources.
  const snapshot::DriverLibrary* library = FindDriverLibrary(*driver);
  const std::string version = library != nullptr ? library->version : driver->module_files->front().version;
  finding.fix = {
      .text =
          "build the module for the running kernel (its headers must be installed), or boot a kernel that "
          "has one",
      .commands = {"sudo dkms autoinstall -k " + Plain(driver->running_kernel), "sudo modprobe nvidia"},
      .risk = report::Risk::kLow,
      .changes = {report::LoadModule{"nvidia", version}}};
  if (const std::string branch = PrebuiltBranch(*driver->module_files); !branch.empty()) {
    const std::string package = "linux-modules-nvidia-" + branch + "-" + driver->running_kernel;
    finding.fix.text =
        "install " + package + ", which has the pre-built module, or boot a kernel that has one";
    finding.fix.commands = {"sudo apt install " + Plain(package), "sudo modprobe nvidia"};
  } else if (distribution.find("Ubuntu") != std::string::npos ||
             distribution.find("Debian") != std::string::npos) {
    finding.fix.commands.insert(finding.fix.commands.begin(),
                                "sudo apt install linux-headers-" + Plain(driver->running_kernel));
  } else if (distribution.find("Fedora") != std::string::npos) {
    finding.fix.commands = {"sudo akmods --force --kernels " + Plain(driver->running_kernel),
                            "sudo modprobe nvidia"};
  }
  AddNodeMaker(scene, finding.fix);
  AddNodes(scene, finding.fix);
}

}  // namespace

extern const Rule kRule = {.code = "CUL1004",
                           .name = "module_for_another_kernel",
                           .family = Family::kDriver,
                           .cause = "driver-not-loaded",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "the kernel module was built for another kernel",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::module_for_another_kernel
