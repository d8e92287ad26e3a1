// CUL2010: WSL provides no GPU: /dev/dxg or the Windows driver's libcuda is missing.
#include "rules/kit/driver/driver_choice.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::wsl_without_driver {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
This is WSL, and /dev/dxg or /usr/lib/wsl/lib/libcuda.so.1 is missing.

## Why it breaks
Windows provides its GPU through the device /dev/dxg and mounts its user-space driver at /usr/lib/wsl/lib. Without both, CUDA
finds no device. WSL 1 has neither; an old Windows driver has no libcuda for WSL.

## How culprit knows
The kernel release names Microsoft; culprit lists /dev and /usr/lib/wsl/lib.

## Fix
Install NVIDIA's driver in Windows, use WSL 2, and update it (wsl --update). Do not install a Linux driver inside WSL.

## When this is not your problem
The Windows machine has no NVIDIA GPU.

## Sources
NVIDIA, CUDA on WSL User Guide.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const auto& driver = scene.stack().driver;
  if (!Circumstances(scene).wsl || !driver || driver->assumed) return ruling.NotApplicable();
  if (!driver->nodes) return ruling.NotEnoughFacts("device nodes", "/dev: " + driver->nodes.why);
  bool device = false, library = false;
  for (const snapshot::DeviceNode& node : *driver->nodes) device |= node.path == "/dev/dxg";
  for (const snapshot::DriverLibrary& copy : driver->libraries) {
    library |= copy.kind == snapshot::DriverLibraryKind::kWsl && copy.name == "libcuda.so.1" &&
               !copy.real_path.empty();
  }
  if (device && library) return;
  const std::string missing = device ? "/usr/lib/wsl/lib/libcuda.so.1" : "/dev/dxg";
  report::Finding& finding = ruling.Fire("WSL provides no GPU: " + missing + " is missing", missing);
  finding.evidence.push_back({missing + " does not exist", device ? "/usr/lib/wsl/lib" : "/dev"});
  finding.evidence.push_back({"this is WSL", "/proc/sys/kernel/osrelease"});
  finding.fix = {
      .text =
          device
              ? "install a current NVIDIA driver in Windows, then restart WSL; install no Linux driver in WSL"
              : "use WSL 2 and update it from Windows; this kernel has no /dev/dxg",
      .commands = {"wsl.exe --update", "wsl.exe --shutdown"},
      .risk = report::Risk::kLow,
      .changes = {}};
  if (!device) {
    finding.fix.changes = {report::NotInFiles{"WSL 2 with a kernel that has /dev/dxg",
                                              "Windows provides it; run culprit again after the update"}};
  } else if (const std::string choice = ChooseWindowsDriver(scene).version; !choice.empty()) {
    finding.fix.changes = {report::InstallDriver{choice}};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL2010",
                           .name = "wsl_without_driver",
                           .family = Family::kVisibility,
                           .cause = "wsl",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "WSL gets no GPU driver from Windows",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::wsl_without_driver
