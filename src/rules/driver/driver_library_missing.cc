// CUL1002: the kernel module is loaded, but libcuda.so.1 is not installed.
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::driver_library_missing {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The driver's kernel module is loaded, but libcuda.so.1, the half of the driver that programs load, is not installed.

## Why it breaks
Distributions split the driver into packages. A display or server package without the compute package provides a module,
often even nvidia-smi, but no CUDA: `libcuda.so.1: cannot open shared object file`.

## How culprit knows
culprit reads the version of the loaded module from /sys or /proc. No directory that the loader searches or that drivers are
installed to contains a libcuda.so.1.

## Fix
Install the compute package in exactly the module's version: libnvidia-compute-NNN (Ubuntu), libcuda1 (Debian),
xorg-x11-drv-nvidia-cuda (RPM Fusion), nvidia-utils (Arch). Do not symlink that name to a stub or a toolkit library.

## When this is not your problem
You are in a container: there the runtime provides the library, see CUL2004.

## Sources
Package contents of Ubuntu's libnvidia-compute, Debian's libcuda1, RPM Fusion's xorg-x11-drv-nvidia-cuda-libs.
)md";

Command Package(const std::string& distribution, const std::string& version) {
  if (distribution.find("Ubuntu") != std::string::npos) {
    return "sudo apt install libnvidia-compute-" + Plain(version.substr(0, version.find('.')));
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
    // An empty one, or one without its symlink, counts too: another rule reports it.
    const bool some = library.kind != snapshot::DriverLibraryKind::kStub &&
                      library.kind != snapshot::DriverLibraryKind::kCompat &&
                      library.name.starts_with("libcuda.so.") && !library.real_path.empty();
    if (some) return;
  }
  report::Finding& finding = ruling.Fire(
      "the kernel module " + *driver->kernel_version + " is loaded, but libcuda.so.1 is not installed",
      "libcuda.so.1");
  finding.evidence.push_back(ModuleEvidence(*driver));
  finding.evidence.push_back({"no libcuda.so.1 was found", "the loader's search and the usual directories"});
  finding.fix = {.text = "install the compute library of driver " + *driver->kernel_version +
                         ", the same version as the module; do not symlink that name to a stub",
                 .commands = {},
                 .risk = report::Risk::kLow,
                 .changes = {report::InstallDriver{*driver->kernel_version}}};
  const Command command = Package(Circumstances(scene).distribution, *driver->kernel_version);
  if (!command.empty()) finding.fix.commands = {command};
}

}  // namespace

extern const Rule kRule = {.code = "CUL1002",
                           .name = "driver_library_missing",
                           .family = Family::kDriver,
                           .cause = "driver-missing",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "the kernel module is loaded, but libcuda.so.1 is not installed",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::driver_library_missing
