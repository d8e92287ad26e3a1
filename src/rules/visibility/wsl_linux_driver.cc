// CUL2009: in WSL, a Linux driver package shadows the Windows driver.
#include <algorithm>
#include <utility>

#include "rules/kit/changes.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/kit/load_facts.h"
#include "rules/rule.h"

namespace culprit::rules::wsl_linux_driver {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
Programs in this WSL load libcuda.so.1 from a Linux driver package instead of the one that Windows provides.

## Why it breaks
WSL uses the Windows driver. Its libcuda in /usr/lib/wsl/lib talks to it through /dev/dxg. A Linux driver's libcuda needs
a kernel module that does not exist here: "no CUDA-capable device", "CUDA unknown error".

## How culprit knows
The libcuda.so.1 that the loader model finds for any program is outside /usr/lib/wsl.

## Fix
Remove the driver packages (libnvidia-compute-*, nvidia-driver-*, cuda-drivers); keep the toolkit (cuda-toolkit-*). Never install
the package `cuda` in WSL: it installs a driver.

## When this is not your problem
Your programs have a RUNPATH to /usr/lib/wsl/lib.

## Sources
NVIDIA, CUDA on WSL User Guide; Microsoft's WSL documentation on GPU.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const loader::Scenario* any = AnyProgram(scene);
  if (!Circumstances(scene).wsl || any == nullptr) return ruling.NotApplicable();
  const auto loaded = FindLoaded(scene, *any, "libcuda.so");
  if (!loaded || loaded->kind == snapshot::DriverLibraryKind::kWsl ||
      loaded->kind == snapshot::DriverLibraryKind::kStub ||
      loaded->object->real_path.starts_with("/usr/lib/wsl/")) {
    return;
  }
  const std::string& path = loaded->object->path;
  report::Finding& finding =
      ruling.Fire("in WSL programs load " + path +
                      (loaded->version.empty() ? "" : " of the Linux driver " + loaded->version) +
                      " instead of the Windows driver's libcuda in /usr/lib/wsl/lib",
                  path);
  finding.evidence.push_back({path, loaded->object->real_path});
  finding.evidence.push_back({"found through " + FoundThrough(any->graph, path), "the loader's search"});
  finding.evidence.push_back({"this is WSL", "/proc/sys/kernel/osrelease"});
  const bool debian = Circumstances(scene).distribution.find("Debian") != std::string::npos;
  finding.fix = {
      .text =
          "remove the Linux driver packages from WSL and keep the toolkit; the driver belongs "
          "in Windows",
      .commands = {"dpkg -S " + Word(loaded->object->real_path),
                   debian ? Command("sudo apt remove --purge libcuda1 libnvidia-ml1 'nvidia-driver*'")
                          : "sudo apt remove --purge 'libnvidia-compute-*' 'nvidia-driver-*' cuda-drivers",
                   "sudo ldconfig"},
      .risk = report::Risk::kMedium,
      .changes = {}};
  // Everything the packages installed: all files of the same version.
  for (const snapshot::DriverLibrary& library : scene.stack().driver->libraries) {
    if (library.kind != snapshot::DriverLibraryKind::kDriver || library.real_path.empty() ||
        library.version != loaded->version)
      continue;
    for (report::Change& change : WithoutFile(scene, library.path, library.real_path)) {
      if (std::ranges::find(finding.fix.changes, change) ==
          finding.fix.changes.end())  // several symlinks may point to one file
        finding.fix.changes.push_back(std::move(change));
    }
  }
  finding.fix.changes.push_back(report::RefreshCache{});
}

}  // namespace

extern const Rule kRule = {.code = "CUL2009",
                           .name = "wsl_linux_driver",
                           .family = Family::kVisibility,
                           .explains = Explains::kCudaStart | Explains::kNvml,
                           .cause = "wsl",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "a Linux driver inside WSL shadows the Windows driver's libcuda",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::wsl_linux_driver
