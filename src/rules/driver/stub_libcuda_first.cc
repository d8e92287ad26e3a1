// CUL1010: programs load the toolkit's stub instead of the driver's libcuda.
#include "base/text.h"
#include "rules/kit/changes.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/kit/load_facts.h"
#include "rules/rule.h"

namespace culprit::rules::stub_libcuda_first {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A program loads the toolkit's stub libcuda (lib64/stubs) instead of the driver's.

## Why it breaks
The stub is for linking on machines without a driver. Its functions only return an error: cuInit gives 34
CUDA_ERROR_STUB_LIBRARY, "CUDA driver is a stub library", or "no CUDA-capable device".

## How culprit knows
The libcuda that the loader model finds is in a directory called stubs, or is a symlink into one.
CUL5014 reports a stubs directory on the search path from which nothing is loaded.

## Fix
Remove the stubs directory from LD_LIBRARY_PATH and /etc/ld.so.conf.d; it belongs on the linker's path (-L, LIBRARY_PATH).

## When this is not your problem
You run a build that only links.

## Sources
CUDA driver API, CUDA_ERROR_STUB_LIBRARY; the toolkit's lib64/stubs.
)md";

void CheckProcess(const Scene& scene, const loader::Scenario& scenario, Ruling& ruling) {
  const auto loaded = FindLoaded(scene, scenario, "libcuda.so");
  if (!loaded || loaded->kind != snapshot::DriverLibraryKind::kStub) return;
  const std::string& path = loaded->object->path;
  report::Finding& finding =
      ruling.Fire("programs load the stub " + path + " instead of the driver's libcuda.so.1", path);
  finding.affects.push_back(scenario.title);
  finding.evidence.push_back({path + " is a stub for linking", loaded->object->real_path});
  finding.evidence.push_back({"found through " + FoundThrough(scenario.graph, path), "the loader's search"});
  if (loaded->object->via == loader::Via::kLdLibraryPath) {
    finding.fix = WithoutSearchDirectory(scene, std::string(base::DirName(path)));
  } else {
    finding.fix = {
        .text =
            "remove the stub from the loader's search path: no symlink libcuda.so.1 may point to it and no "
            "file in /etc/ld.so.conf.d may name its directory; then rebuild the cache",
        .commands = {"grep -rn stubs /etc/ld.so.conf /etc/ld.so.conf.d", "ls -l " + Word(path),
                     "sudo ldconfig"},
        .risk = report::Risk::kLow,
        .changes = NotSearchedByLdconfig(std::string(base::DirName(path)))};
    // A symlink in a system directory points to the stub.
    if (base::BaseName(base::DirName(path)) != "stubs")
      finding.fix.changes = {report::RemoveFile{path}, report::RefreshCache{}};
  }
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const loader::Scenario& scenario : scene.scenarios) CheckProcess(scene, scenario, ruling);
}

}  // namespace

extern const Rule kRule = {.code = "CUL1010",
                           .name = "stub_libcuda_first",
                           .family = Family::kDriver,
                           .cause = "search-path",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "a stub libcuda shadows the driver's",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::stub_libcuda_first
