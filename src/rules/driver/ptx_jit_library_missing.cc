// CUL1022: libcuda's compiler for PTX is not installed.
#include <optional>

#include "base/text.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::ptx_jit_library_missing {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
libnvidia-ptxjitcompiler of the driver's version is not on this machine.

## Why it breaks
libcuda opens it to compile PTX for a GPU for which a program has no machine code. Without it such a program fails with
CUDA_ERROR_JIT_COMPILER_NOT_FOUND (221) or "PTX JIT compiler library not found"; others run.

## How culprit knows
libcuda.so.1 that wins, its version, and the copies of libnvidia-ptxjitcompiler in the directories of drivers.

## Fix
Install the rest of the driver's compute libraries in the same version.

## When this is not your problem
Programs that bring machine code for this GPU.

## Sources
CUDA driver API, CUDA_ERROR_JIT_COMPILER_NOT_FOUND; contents of the driver's packages.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::Driver* driver = KernelSide(scene, ruling);
  if (driver == nullptr) return;
  const loader::Scenario* any = AnyProgram(scene);
  const auto loaded = any != nullptr ? FindLoaded(scene, *any, "libcuda.so") : std::nullopt;
  if (!driver->kernel_version || !loaded || loaded->version != *driver->kernel_version)
    return ruling.NotApplicable();
  for (const snapshot::DriverLibrary& library : driver->libraries) {
    if (!library.name.starts_with("libnvidia-ptxjitcompiler.so")) continue;
    if (library.version == loaded->version || library.version.empty()) return;
  }
  report::Finding& finding =
      ruling.Fire("libnvidia-ptxjitcompiler.so." + loaded->version + " is missing beside " +
                      loaded->object->path + ": PTX cannot be compiled",
                  "libnvidia-ptxjitcompiler.so.1");
  finding.evidence.push_back({loaded->object->path + " is " + loaded->version, loaded->object->real_path});
  finding.evidence.push_back(
      {"no libnvidia-ptxjitcompiler of that version", std::string(base::DirName(loaded->object->real_path))});
  finding.fix = {
      .text = InContainer(scene)
                  ? "start the container through the NVIDIA runtime, which mounts the library with the "
                    "capability compute; single files mounted by hand are not enough"
                  : "reinstall the compute libraries of driver " + loaded->version,
      .commands = {},
      .risk = "low",
      .changes = {}};
  if (InContainer(scene)) {
    finding.fix.changes = {report::StartContainer{loaded->version}};
  } else {
    finding.fix.changes = {report::InstallDriver{loaded->version}};
    if (const std::string command = InstallComputeLibraries(scene, loaded->version); !command.empty())
      finding.fix.commands = {command};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL1022",
                           .name = "ptx_jit_library_missing",
                           .cause = "dependent-missing",
                           .severity = report::Severity::kWarning,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "the PTX compiler of the driver is missing",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::ptx_jit_library_missing
