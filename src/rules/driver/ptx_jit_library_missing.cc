// CUL1022: the driver's PTX JIT compiler is not installed.
#include <optional>

#include "base/text.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::ptx_jit_library_missing {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
libnvidia-ptxjitcompiler in the driver's version is not installed.

## Why it breaks
libcuda opens it to compile PTX when a program has no machine code for the GPU. Without it such a program fails with
CUDA_ERROR_JIT_COMPILER_NOT_FOUND (221) or "PTX JIT compiler library not found". Other programs run.

## How culprit knows
The libcuda.so.1 that programs load, its version, and the copies of libnvidia-ptxjitcompiler in the driver directories.

## Fix
Install the rest of the driver's compute libraries in the same version.

## When this is not your problem
Your programs contain machine code for this GPU.

## Sources
CUDA driver API, CUDA_ERROR_JIT_COMPILER_NOT_FOUND; contents of the driver's packages.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const auto loaded = OwnLibcuda(scene, ruling);
  if (!loaded) return;
  for (const snapshot::DriverLibrary& library : scene.stack().driver->libraries) {
    if (!library.name.starts_with("libnvidia-ptxjitcompiler.so")) continue;
    if (library.version == loaded->version || library.version.empty()) return;
  }
  report::Finding& finding =
      ruling.Fire("libnvidia-ptxjitcompiler.so." + loaded->version + " is missing next to " +
                      loaded->object->path + ": the driver cannot compile PTX",
                  "libnvidia-ptxjitcompiler.so.1");
  finding.evidence.push_back({loaded->object->path + " is " + loaded->version, loaded->object->real_path});
  finding.evidence.push_back(
      {"no libnvidia-ptxjitcompiler of that version", std::string(base::DirName(loaded->object->real_path))});
  finding.fix = {
      .text = InContainer(scene)
                  ? "start the container through the NVIDIA runtime, which mounts the library with the "
                    "capability compute; mounting single files by hand is not enough"
                  : "reinstall the compute libraries of driver " + loaded->version,
      .commands = {},
      .risk = report::Risk::kLow,
      .changes = {}};
  if (InContainer(scene)) {
    finding.fix.changes = {report::StartContainer{loaded->version}};
  } else {
    finding.fix.changes = {report::InstallDriver{loaded->version}};
    if (const Command command = InstallComputeLibraries(scene, loaded->version); !command.empty())
      finding.fix.commands = {command};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL1022",
                           .name = "ptx_jit_library_missing",
                           .family = Family::kDriver,
                           .explains = Explains::kPtx | Explains::kFramework,
                           .cause = "dependent-missing",
                           .severity = report::Severity::kWarning,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "the driver's PTX JIT compiler is missing",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::ptx_jit_library_missing
