// CUL1008: NVML does not match the loaded kernel module.
#include "base/text.h"
#include "rules/kit/changes.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/kit/driver/driver_links.h"
#include "rules/kit/load_facts.h"
#include "rules/rule.h"

namespace culprit::rules::nvml_library_mismatch {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
libnvidia-ml.so.1 (NVML) has another driver version than the kernel module; libcuda matches.

## Why it breaks
nvidia-smi says "Failed to initialize NVML: Driver/library version mismatch", and everything that uses NVML (NCCL, monitoring,
frameworks that list devices) fails, though CUDA itself may work.

## How culprit knows
The version of the loaded module from /sys or /proc; the libnvidia-ml.so.1 that the loader model finds, and the version
in the name of the real file. If libcuda differs too, only CUL1007 fires.

## Fix
Reinstall all of the driver's libraries in the same version, or remove the leftover copy.

## When this is not your problem
Nothing on this machine uses NVML.

## Sources
NVML API reference, NVML_ERROR_LIB_RM_VERSION_MISMATCH.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::Driver* driver = KernelSide(scene, ruling);
  if (driver == nullptr) return;
  const loader::Scenario* any = AnyProgram(scene);
  if (!ModuleVersion(*driver) || any == nullptr) return ruling.NotApplicable();
  const auto cuda = FindLoaded(scene, *any, "libcuda.so");
  if (cuda && cuda->kind != snapshot::DriverLibraryKind::kCompat && cuda->version != *driver->kernel_version)
    return;
  const auto nvml = FindLoaded(scene, *any, "libnvidia-ml.so");
  if (!nvml || nvml->kind == snapshot::DriverLibraryKind::kStub || nvml->version.empty()) return;
  if (nvml->version == *driver->kernel_version) return;
  const std::string& path = nvml->object->path;
  report::Finding& finding =
      ruling.Fire("the loaded kernel module is " + *driver->kernel_version + ", libnvidia-ml.so.1 in " +
                      std::string(base::DirName(path)) + " is " + nvml->version,
                  path);
  finding.affects = {"nvidia-smi", "NCCL"};
  finding.evidence.push_back(ModuleEvidence(*driver));
  finding.evidence.push_back({path + " is " + nvml->version, nvml->object->real_path});
  finding.evidence.push_back(
      {"programs find it through " + FoundThrough(any->graph, path), "the loader's search"});
  if (nvml->object->via == loader::Via::kLdLibraryPath) {
    finding.fix = WithoutSearchDirectory(scene, std::string(base::DirName(path)));
    return;
  }
  const auto* right = CopyOfVersion(*driver, "libnvidia-ml.so", *driver->kernel_version);
  if (right != nullptr && !InContainer(scene)) {
    finding.evidence.push_back(
        {"libnvidia-ml of driver " + right->version + " is also installed", right->real_path});
    finding.fix = PointToRightDriver(scene, path, nvml->object->real_path, *right);
    return;
  }
  finding.fix = {.text = "install the driver's libraries in version " + *driver->kernel_version +
                         " (reinstall the driver package), and remove " + nvml->object->real_path +
                         " if it is still there",
                 .commands = {"dpkg -S " + Word(nvml->object->real_path) + " || rpm -qf " +
                              Word(nvml->object->real_path)},
                 .risk = report::Risk::kLow,
                 .changes = {report::RemoveFile{nvml->object->real_path},
                             report::InstallDriver{*driver->kernel_version}}};
  if (InContainer(scene)) {
    finding.fix.text = "remove the driver's libraries from the image; the runtime mounts the host's";
    finding.fix.changes = WithoutFile(scene, path, nvml->object->real_path);
    finding.fix.changes.push_back(report::StartContainer{*driver->kernel_version});
  } else if (const Command command = InstallComputeLibraries(scene, *driver->kernel_version);
             !command.empty()) {
    finding.fix.commands.push_back(command);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL1008",
                           .name = "nvml_library_mismatch",
                           .family = Family::kDriver,
                           .cause = "driver-library-mismatch",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "libnvidia-ml and the kernel module have different versions",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::nvml_library_mismatch
