// CUL1002: the kernel half of the driver runs, the user half is missing.
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::driver_library_missing {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The kernel module of the driver is loaded, but libcuda.so.1, the half of the driver that programs load, is nowhere.

## Why it breaks
Distributions split the driver into packages. A display or a server package without the compute part gives a module,
often even nvidia-smi, and no CUDA: `libcuda.so.1: cannot open shared object file`.

## How culprit knows
The version of the loaded module is read from /sys or /proc, and no directory that a loader searches or that drivers are
installed to holds a libcuda.so.1.

## Fix
Install the compute package of exactly the version of the module: libnvidia-compute-NNN (Ubuntu), libcuda1 (Debian),
xorg-x11-drv-nvidia-cuda (RPM Fusion), nvidia-utils (Arch). Do not link a stub or a toolkit library to that name.

## When this is not your problem
In a container: there the runtime brings the library, see CUL2004.

## Sources
Package contents of Ubuntu's libnvidia-compute, Debian's libcuda1, RPM Fusion's xorg-x11-drv-nvidia-cuda-libs.
)md";

std::string Package(const std::string& distribution, const std::string& version) {
  if (distribution.find("Ubuntu") != std::string::npos) {
    return "sudo apt install libnvidia-compute-" + version.substr(0, version.find('.'));
  }
  if (distribution.find("Debian") != std::string::npos) return "sudo apt install libcuda1";
  if (distribution.find("Fedora") != std::string::npos)
    return "sudo dnf install xorg-x11-drv-nvidia-cuda-libs";
  if (distribution.find("Arch") != std::string::npos) return "sudo pacman -S nvidia-utils";
  return "";
}

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::Driver* driver = KernelSide(scene, ruling);
  if (driver == nullptr) return;
  if (!driver->kernel_version || InContainer(scene)) return ruling.NotApplicable();
  for (const snapshot::DriverLibrary& library : driver->libraries) {
    // Also one that is empty or lacks its link: another rule names that.
    const bool some = library.kind != "stub" && library.kind != "compat" &&
                      library.name.starts_with("libcuda.so.") && !library.real_path.empty();
    if (some) return;
  }
  report::Finding& finding = ruling.Fire("the kernel module " + *driver->kernel_version +
                                             " is loaded, but there is no libcuda.so.1 on this machine",
                                         "libcuda.so.1");
  finding.evidence.push_back(ModuleEvidence(*driver));
  finding.evidence.push_back({"no libcuda.so.1 was found", "the loader's search and the usual directories"});
  finding.fix = {.text = "install the compute library of driver " + *driver->kernel_version +
                         ", the same version as the module; do not link a stub to that name",
                 .commands = {},
                 .risk = "low",
                 .changes = {report::InstallDriver{*driver->kernel_version}}};
  const std::string command = Package(Circumstances(scene).distribution, *driver->kernel_version);
  if (!command.empty()) finding.fix.commands = {command};
}

}  // namespace

extern const Rule kRule = {.code = "CUL1002",
                           .name = "driver_library_missing",
                           .cause = "driver-missing",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "the kernel module is loaded, its library libcuda.so.1 is not installed",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::driver_library_missing
