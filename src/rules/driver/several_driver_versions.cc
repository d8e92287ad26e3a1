// CUL1021: leftovers of another driver version.
#include <optional>

#include "rules/kit/changes.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::several_driver_versions {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
Beside the libcuda that programs load there is one of another driver version.

## Why it breaks
It does no harm while the right one wins. It begins to when LD_LIBRARY_PATH, a new cache or a container runtime picks it:
then error 803.

## How culprit knows
Every copy of libcuda in the directories that a loader searches or that drivers are installed to, by the version in its name,
against the loaded module.

## Fix
Nothing has to be done. Leftovers of a .run installation go away with nvidia-uninstall, those of packages with the package.

## When this is not your problem
Copies that belong to a cuda-compat package are not counted.

## Sources
File names of the driver's libraries.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::Driver* driver = KernelSide(scene, ruling);
  if (driver == nullptr) return;
  const loader::Scenario* any = AnyProgram(scene);
  const auto loaded = any != nullptr ? FindLoaded(scene, *any, "libcuda.so") : std::nullopt;
  if (!driver->kernel_version || !loaded || loaded->version != *driver->kernel_version)
    return ruling.NotApplicable();
  for (const snapshot::DriverLibrary& library : driver->libraries) {
    if (!library.name.starts_with("libcuda.so") || library.version.empty() ||
        library.version == loaded->version || (library.kind != "driver" && library.kind != "container")) {
      continue;
    }
    report::Finding& finding = ruling.Fire(library.path + " is " + library.version + ", the driver is " +
                                               *driver->kernel_version + " and its own libcuda wins",
                                           library.path);
    finding.evidence.push_back(ModuleEvidence(*driver));
    finding.evidence.push_back({"libcuda.so.1 of " + library.version, library.real_path});
    finding.fix = {.text = "nothing has to be done; to tidy up, find who owns the file and remove it",
                   .commands = {"dpkg -S " + library.real_path + " || rpm -qf " + library.real_path},
                   .risk = "low",
                   .changes = WithoutFile(scene, library.path, library.real_path)};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL1021",
                           .name = "several_driver_versions",
                           .cause = "driver-library-mismatch",
                           .severity = report::Severity::kNote,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "libraries of another driver version lie around",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::several_driver_versions
