// CUL1026: the driver library lies outside the search of the loader.
#include "base/text.h"
#include "rules/kit/changes.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/kit/driver/driver_links.h"
#include "rules/rule.h"

namespace culprit::rules::libcuda_not_searched {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The driver's libcuda.so.1 is installed, but a program of this shell does not find it.

## Why it breaks
Its directory is neither in /etc/ld.so.cache nor one of the system's directories, or the cache is older than the installation:
`libcuda.so.1: cannot open shared object file`.

## How culprit knows
The copies of libcuda in the directories where drivers are installed, against the search that the model of the loader does for
any program of this shell.

## Fix
Add the directory to /etc/ld.so.conf.d and run ldconfig. LD_LIBRARY_PATH works too, but also changes the search for everything
else.

## When this is not your problem
NixOS and some container images set the search per program.

## Sources
ld.so(8), ldconfig(8).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::Driver* driver = KernelSide(scene, ruling);
  if (driver == nullptr) return;
  const loader::Scenario* any = AnyProgram(scene);
  if (any == nullptr || !driver->kernel_version) return ruling.NotApplicable();
  const snapshot::DriverLibrary* library = FindDriverLibrary(*driver);
  if (library == nullptr) return ruling.NotApplicable();
  if (FindLoaded(scene, *any, "libcuda.so")) return;
  for (const loader::Request& request : any->graph.requests) {
    if (request.name != "libcuda.so.1") continue;
    if (request.uncertain)
      return ruling.NotEnoughFacts("which libcuda programs load", "files were not recorded");
    for (const loader::Attempt& attempt : request.attempts) {
      if (attempt.outcome == loader::Outcome::kEmptyFile) return;  // found, and it ends the search: CUL1023
    }
  }
  if (!library->version.empty() && DanglingLibcuda(scene, *driver) != nullptr) return;  // CUL1024
  const std::string directory(base::DirName(library->path));
  report::Finding& finding =
      ruling.Fire(library->path + " is installed, but the loader of this shell does not look in " + directory,
                  library->path);
  finding.evidence.push_back(
      {"libcuda.so.1" + (library->version.empty() ? "" : " of driver " + library->version),
       library->real_path});
  finding.evidence.push_back({"libcuda.so.1 is not found", "the loader's search"});
  finding.fix = {
      .text = "add the directory to the loader's configuration and rebuild the cache",
      .commands = {"echo " + directory + " | sudo tee /etc/ld.so.conf.d/nvidia-driver.conf", "sudo ldconfig"},
      .risk = "low",
      .changes = SearchedByLdconfig(directory, "nvidia-driver")};
}

}  // namespace

extern const Rule kRule = {.code = "CUL1026",
                           .name = "libcuda_not_searched",
                           .cause = "search-path",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "libcuda.so.1 is on disk where the loader does not look",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::libcuda_not_searched
