// CUL1007: libcuda and the kernel module have different versions.
#include "base/text.h"
#include "rules/kit/changes.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/kit/driver/driver_links.h"
#include "rules/kit/load_facts.h"
#include "rules/rule.h"

namespace culprit::rules::driver_library_mismatch {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The loaded kernel module and the libcuda.so.1 that programs load come from different driver versions.

## Why it breaks
The two halves of the driver talk through a private interface and must have exactly the same version. Otherwise: error 803
"system has unsupported display driver / cuda driver combination", 999, or no device at all. Usually the driver was updated and
the old module is still loaded; sometimes an old library was left behind or comes first on the search path.

## How culprit knows
The version of the loaded module from /sys or /proc; the libcuda.so.1 that the loader model finds for a program in this shell,
and the version in the name of the real file.

For an image that is checked with --host: the container runtime mounts the host's libraries and runs ldconfig, which prefers the
highest version in a directory; so a newer driver library that was left in the image wins.

## Fix
In an image: remove the driver libraries from it. After an update: reboot (or unload the old module when nothing uses
the GPU). If the versions still differ after a reboot, an old library shadows the new one: remove it, or take its
directory off the search path.
## When this is not your problem
libcuda from a cuda-compat package may differ: CUL1011 checks that.

## Sources
CUDA runtime API, cudaErrorSystemDriverMismatch (803); NVIDIA driver README.
)md";

// Whether a module of that version is on disk for the running kernel: the next boot loads it.
bool HasModule(const snapshot::Driver& driver, const std::string& version) {
  if (!driver.module_files) return false;
  for (const snapshot::ModuleFile& file : *driver.module_files) {
    if (file.kernel == driver.running_kernel && file.version == version) return true;
  }
  return false;
}

// May add to the evidence of the finding that it mends.
report::Fix FixFor(const Scene& scene, const snapshot::Driver& driver, const LoadedCopy& loaded,
                   report::Finding& finding) {
  const std::string& path = loaded.object->path;
  if (loaded.object->via == loader::Via::kLdLibraryPath) {
    return WithoutSearchDirectory(scene, std::string(base::DirName(path)));
  }
  if (driver.assumed) {
    return {.text =
                "remove the driver's libraries from the image: the container runtime mounts the host's, and "
                "a newer copy in the image shadows them",
            .commands = {"dpkg -S " + Word(loaded.object->real_path) + "   # in the image"},
            .risk = report::Risk::kLow,
            .changes = WithoutFile(scene, path, loaded.object->real_path)};
  }
  if (InContainer(scene)) {
    report::Fix fix{
        .text =
            "restart the container, if the host's driver was updated while it ran: the runtime mounts the "
            "host's libraries again. If that does not help, the image bundles its own driver library: remove "
            "the driver packages from the image",
        .commands = {"docker restart CONTAINER   # on the host", "dpkg -S " + Word(loaded.object->real_path)},
        .risk = report::Risk::kLow,
        .changes = WithoutFile(scene, path, loaded.object->real_path)};
    fix.changes.push_back(report::StartContainer{*driver.kernel_version});
    return fix;
  }
  const bool staged = HasModule(driver, loaded.version);
  const auto* right = CopyOfVersion(driver, "libcuda.so", *driver.kernel_version);
  if (!staged && right != nullptr) {
    finding.evidence.push_back(
        {"libcuda of driver " + right->version + " is also installed", right->real_path});
    return PointToRightDriver(scene, path, loaded.object->real_path, *right);
  }
  if (!staged && HasModule(driver, *driver.kernel_version)) {  // a reboot would load the same one again
    report::Fix fix{.text = "install the driver's libraries in version " + *driver.kernel_version +
                            ", the version of the module that is loaded and on disk (reinstall the driver "
                            "package)",
                    .commands = {"dpkg -S " + Word(loaded.object->real_path)},
                    .risk = report::Risk::kMedium,
                    .changes = {report::InstallDriver{*driver.kernel_version}}};
    if (const Command command = InstallComputeLibraries(scene, *driver.kernel_version); !command.empty())
      fix.commands.push_back(command);
    return fix;
  }
  return {.text = std::string(staged ? "reboot to finish the update to " + loaded.version
                                     : "reboot to load the module of the installed driver; if the versions "
                                       "still differ then, " +
                                           path + " is a leftover: remove it"),
          .commands = {"sudo reboot"},
          .risk = report::Risk::kMedium,
          .changes = {report::LoadModule{"nvidia", loaded.version}}};
}

void CheckProcess(const Scene& scene, const loader::Scenario& scenario, const snapshot::Driver& driver,
                  Ruling& ruling) {
  const auto loaded = FindLoaded(scene, scenario, "libcuda.so");
  if (!loaded || loaded->kind == snapshot::DriverLibraryKind::kStub ||
      loaded->kind == snapshot::DriverLibraryKind::kCompat)
    return;
  if (loaded->version.empty()) {
    ruling.NotEnoughFacts("whether libcuda matches the kernel module",
                          "the file name " + loaded->object->real_path + " has no version");
    return;
  }
  if (loaded->version == *driver.kernel_version) return;
  const std::string& path = loaded->object->path;
  report::Finding& finding =
      ruling.Fire((driver.assumed ? "the host's driver is " : "the loaded kernel module is ") +
                      *driver.kernel_version + ", libcuda.so.1 in " + std::string(base::DirName(path)) +
                      (driver.assumed ? " of the image is " : " is ") + loaded->version,
                  path);
  finding.affects.push_back(scenario.title);
  finding.evidence.push_back(ModuleEvidence(driver));
  finding.evidence.push_back({path + " is " + loaded->version, loaded->object->real_path});
  finding.evidence.push_back(
      {"programs find it through " + FoundThrough(scenario.graph, path), "the loader's search"});
  finding.fix = FixFor(scene, driver, *loaded, finding);
}

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::Driver* driver = KernelSideOfImage(scene, ruling);
  if (driver == nullptr) return;
  if (!ModuleVersion(*driver)) return ruling.NotApplicable();
  for (const loader::Scenario& scenario : scene.scenarios) CheckProcess(scene, scenario, *driver, ruling);
}

}  // namespace

extern const Rule kRule = {.code = "CUL1007",
                           .name = "driver_library_mismatch",
                           .family = Family::kDriver,
                           .cause = "driver-library-mismatch",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "libcuda and the kernel module have different versions",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::driver_library_mismatch
