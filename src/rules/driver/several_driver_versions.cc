// CUL1021: libcuda of another driver version is left over.
#include <optional>

#include "rules/kit/changes.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::several_driver_versions {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
Besides the libcuda that programs load, there is one of another driver version.

## Why it breaks
It does no harm while programs load the right one. If LD_LIBRARY_PATH, a new cache or a container runtime picks the other, they
fail with error 803.

## How culprit knows
culprit compares the version in the name of every libcuda with the loaded module, in all directories that the loader searches
or that drivers are installed to.

## Fix
You do not have to do anything. nvidia-uninstall removes leftovers of a .run installation; removing a package removes its own.

## When this is not your problem
The copy belongs to a cuda-compat package: the rule does not count those.

## Sources
File names of the driver's libraries.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const auto loaded = OwnLibcuda(scene, ruling);
  if (!loaded) return;
  const snapshot::Driver& driver = *scene.stack().driver;
  for (const snapshot::DriverLibrary& library : driver.libraries) {
    if (!library.name.starts_with("libcuda.so") || library.version.empty() ||
        library.version == loaded->version ||
        (library.kind != snapshot::DriverLibraryKind::kDriver &&
         library.kind != snapshot::DriverLibraryKind::kContainer)) {
      continue;
    }
    report::Finding& finding = ruling.Fire(library.path + " is " + library.version + ", the driver is " +
                                               *driver.kernel_version + " and programs load its own libcuda",
                                           library.path);
    finding.evidence.push_back(ModuleEvidence(driver));
    finding.evidence.push_back({"libcuda.so.1 of " + library.version, library.real_path});
    finding.fix = {
        .text = "nothing to do; to tidy up, find the package that owns the file and remove it",
        .commands = {"dpkg -S " + Word(library.real_path) + " || rpm -qf " + Word(library.real_path)},
        .risk = report::Risk::kLow,
        .changes = WithoutFile(scene, library.path, library.real_path)};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL1021",
                           .name = "several_driver_versions",
                           .family = Family::kDriver,
                           .cause = "driver-library-mismatch",
                           .severity = report::Severity::kNote,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "libraries of another driver version are left over",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::several_driver_versions
