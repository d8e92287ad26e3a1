// CUL5002: a library symlink points to itself.
#include "rules/kit/file_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/rule.h"

namespace culprit::rules::link_loop {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The name that a program requests is a symlink that points back to itself.

## Why it breaks
Opening it fails with "Too many levels of symbolic links". Unlike a missing file, this also stops the search of that
list of directories, so a good copy further down the list is not seen.

## How culprit knows
culprit simulates the load and meets the symlink.

## Fix
If the library with that soname is in the same directory, point the symlink at it, as ldconfig would. Otherwise
reinstall the package that owns the symlink.

## When this is not your problem
Symlink loops that none of your programs reach are not reported.

## Sources
ld.so(8) and the source of glibc (elf/dl-load.c).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.why != Why::kLinkLoop) continue;
    if (failed.IsCudnn()) continue;  // CUL3009
    report::Finding& finding =
        Fire(ruling, failed,
             failed.file + " is a symlink loop, and no other " + failed.request->name + " is found",
             failed.file, {failed.request->name});
    finding.evidence.push_back({failed.file + " points back to itself", failed.file});
    finding.fix = RepairLink(scene, failed.file);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5002",
                           .name = "link_loop",
                           .family = Family::kLoading,
                           .cause = "broken-symlink",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "a library symlink points to itself",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::link_loop
