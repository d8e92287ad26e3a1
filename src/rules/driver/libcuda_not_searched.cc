// CUL1026: libcuda is in a directory that the loader does not search.
#include "base/text.h"
#include "rules/kit/changes.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/kit/driver/driver_links.h"
#include "rules/rule.h"

namespace culprit::rules::libcuda_not_searched {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The driver's libcuda.so.1 is installed, but a program started in this shell does not find it.

## Why it breaks
Its directory is neither in /etc/ld.so.cache nor a system directory, or the cache is older than the installation:
`libcuda.so.1: cannot open shared object file`.

## How culprit knows
culprit lists the copies of libcuda where drivers are installed, and runs the loader model's search for any program started in
this shell.

## Fix
Add the directory to /etc/ld.so.conf.d and run ldconfig. LD_LIBRARY_PATH works too, but also changes the search for all other
libraries.

## When this is not your problem
NixOS and some container images set the search path per program.

## Sources
ld.so(8), ldconfig(8).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const bool wsl = Circumstances(scene).wsl && scene.stack().driver && !scene.stack().driver->assumed;
  const snapshot::Driver* driver = wsl ? &*scene.stack().driver : KernelSide(scene, ruling);
  if (driver == nullptr) return;
  const loader::Scenario* any = AnyProgram(scene);
  if (any == nullptr || (!driver->kernel_version && !wsl)) return ruling.NotApplicable();
  const snapshot::DriverLibrary* library = FindDriverLibrary(*driver);
  if (library == nullptr) return ruling.NotApplicable();
  if (FindLoaded(scene, *any, "libcuda.so")) return;
  const std::string directory(base::DirName(library->path));
  for (const loader::Request& request : any->graph.requests) {
    if (request.name != "libcuda.so.1") continue;
    if (request.uncertain)
      return ruling.NotEnoughFacts("which libcuda programs load", "files were not recorded");
    for (const loader::Attempt& attempt : request.attempts) {
      if (attempt.outcome == loader::Outcome::kEmptyFile) return;  // an empty file ends the search: CUL1023
      if (attempt.outcome == loader::Outcome::kFound)  // it is searched; what it needs is not there
        return ruling.NotEnoughFacts("whether programs can load libcuda.so.1", request.error);
    }
  }
  if (!library->version.empty() && DanglingLibcuda(scene, *driver) != nullptr) return;  // CUL1024
  report::Finding& finding = ruling.Fire(
      library->path + " is installed, but the loader does not search " + directory, library->path);
  finding.evidence.push_back(
      {"libcuda.so.1" + (library->version.empty() ? "" : " of driver " + library->version),
       library->real_path});
  finding.evidence.push_back({"libcuda.so.1 is not found", "the loader's search"});
  finding.fix = {.text = "add the directory to the loader's configuration and rebuild the cache",
                 .commands = {"echo " + Word(directory) + " | sudo tee /etc/ld.so.conf.d/nvidia-driver.conf",
                              "sudo ldconfig"},
                 .risk = report::Risk::kLow,
                 .changes = SearchedByLdconfig(directory, "nvidia-driver")};
}

}  // namespace

extern const Rule kRule = {.code = "CUL1026",
                           .name = "libcuda_not_searched",
                           .family = Family::kDriver,
                           .cause = "search-path",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "libcuda.so.1 is in a directory that the loader does not search",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::libcuda_not_searched
