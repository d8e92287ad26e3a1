// CUL1023: libcuda.so.1 is a file of zero bytes.
#include "base/text.h"
#include "rules/kit/changes.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::empty_libcuda {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
libcuda.so.1 exists but is empty.

## Why it breaks
Container runtimes mount the driver's files over empty ones. When such a container is saved as an image (docker commit), or
the mounts are gone, the empty files stay. The loader takes the first file of that name, fails with `file too short`, and stops
searching.

## How culprit knows
The size of every libcuda found, and the loader's search.

## Fix
Remove the empty files from the image, and start the container with GPU access.

## When this is not your problem
You start the image through the NVIDIA runtime with the same driver version: it mounts the real files over the empty ones.

## Sources
nvidia-container-toolkit (bind mounts of driver files); ld.so: an empty file ends the search.
)md";

bool EndsTheSearch(const Scene& scene, const snapshot::DriverLibrary& library) {
  for (const loader::Scenario& scenario : scene.scenarios) {
    for (const loader::Request& request : scenario.graph.requests) {
      for (const loader::Attempt& attempt : request.attempts) {
        const bool this_file =
            attempt.path == library.path || scene.view.RealPath(attempt.path) == library.real_path;
        if (attempt.outcome == loader::Outcome::kEmptyFile && this_file) return true;
      }
    }
  }
  return false;
}

void Check(const Scene& scene, Ruling& ruling) {
  const auto& driver = scene.stack().driver;
  const bool image = IsImageForHost(scene);
  if (!driver || (driver->assumed && !image)) return ruling.NotApplicable();
  for (const snapshot::DriverLibrary& library : driver->libraries) {
    if (!library.name.starts_with("libcuda.so") || library.real_path.empty() || library.size > 0) continue;
    const bool ends = EndsTheSearch(scene, library);
    if (image && !ends) continue;  // the runtime mounts the host's over it, or beside it
    report::Finding& finding =
        ruling.Fire(library.path + " is empty" +
                        (ends ? ", and the loader stops there" : "; programs do not load it now"),
                    library.path);
    if (!ends) finding.severity = report::Severity::kNote;
    finding.evidence.push_back({"0 bytes", library.real_path});
    finding.fix = {
        .text =
            "remove the empty driver files from the image (a container runtime's mounts left them) and start "
            "the container with GPU access",
        .commands = {"find " + Word(base::DirName(library.real_path)) +
                         " -maxdepth 1 -size 0 \\( -name 'libcuda*' -o -name 'libnvidia-*' \\) -print",
                     "sudo rm " + Word(library.real_path)},
        .risk = report::Risk::kLow,
        .changes = WithoutFile(scene, library.path, library.real_path)};
    if (image) return;
    if (ends && driver->kernel_version && InContainer(scene)) {
      finding.fix.changes.push_back(report::StartContainer{*driver->kernel_version});
    } else if (ends && driver->kernel_version && FindDriverLibrary(*driver) == nullptr) {
      finding.fix.text =
          "remove the driver's empty files and reinstall its libraries in version " + *driver->kernel_version;
      if (const Command command = InstallComputeLibraries(scene, *driver->kernel_version); !command.empty())
        finding.fix.commands.push_back(command);
      finding.fix.changes.push_back(report::InstallDriver{*driver->kernel_version});
    }
    return;
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL1023",
                           .name = "empty_libcuda",
                           .family = Family::kDriver,
                           .cause = "container-runtime",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "libcuda.so.1 is an empty file",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::empty_libcuda
