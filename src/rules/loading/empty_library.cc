// CUL5005: a library is an empty file.
#include <algorithm>

#include "rules/kit/file_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/rule.h"

namespace culprit::rules::empty_library {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A library file has zero bytes: left over from an interrupted installation, or a placeholder from a container build.

## Why it breaks
The loader does not skip it: the load fails with "file too short", even if a good copy comes later in the search.

## How culprit knows
culprit simulates the load and meets this file; its size is 0.

## Fix
Remove the file or reinstall its package.

## When this is not your problem
An empty libcuda.so.1 in a container comes from the container runtime and has its own code.

## Sources
ld.so(8) and the source of glibc (elf/dl-load.c).
)md";

// Remove it if another copy can take its place; otherwise the library has to be reinstalled.
report::Fix Repair(const Scene& scene, const FailedLoad& failed) {
  const auto copies = loader::FindCopies(loader::LibraryDirectories(scene.snapshot, scene.view), scene.view,
                                         failed.request->name);
  const std::string real = scene.view.RealPath(failed.file);
  const bool another = std::ranges::any_of(copies, [&](const loader::LibraryCopy& copy) {
    return copy.real_path != real && scene.view.Open(copy.path).size > 0;
  });
  if (!another) return ReplaceDamaged(scene, failed.file, failed.request->name);
  return {.text = "remove the empty file: another copy of the library exists",
          .commands = {scene.OnWindows() ? "del " + Word(failed.file)
                                         : Sudo(scene, failed.file) + "rm " + Word(failed.file)},
          .risk = report::Risk::kLow,
          .changes = {report::RemoveFile{PlaceOf(scene, failed.file)}}};
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.why != Why::kEmptyFile) continue;
    report::Finding& finding =
        Fire(ruling, failed,
             failed.file + " is empty, and the search for " + failed.request->name + " stops there",
             failed.file, {failed.request->name});
    finding.evidence.push_back({failed.file + " has 0 bytes", failed.file});
    finding.fix = Repair(scene, failed);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5005",
                           .name = "empty_library",
                           .family = Family::kLoading,
                           .cause = "corrupt-library",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "a library is an empty file",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::empty_library
