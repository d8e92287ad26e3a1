// CUL5002: a link on the way of the search leads in a circle.
#include "rules/kit/file_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/rule.h"

namespace culprit::rules::link_loop {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The name that a program asks for is a symbolic link that leads back to itself.

## Why it breaks
Opening it fails with "Too many levels of symbolic links". Unlike a missing file this also ends the search of the list
of directories in which it lies, so a good copy further down that list is not seen.

## How culprit knows
The link was met while the load was played.

## Fix
Where the library that carries the name stands beside the link, set the link to it, as ldconfig would. Otherwise install
the package again that owns the link.

## When this is not your problem
Circles that no program of yours meets are not reported.

## Sources
ld.so(8) and the source of glibc (elf/dl-load.c).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.why != Why::kLinkLoop) continue;
    if (failed.IsCudnn()) continue;  // CUL3009
    report::Finding& finding =
        Fire(ruling, failed,
             failed.file + " is a link in a circle, and no other " + failed.request->name + " is found",
             failed.file);
    finding.evidence.push_back({failed.file + " leads back to itself", failed.file});
    finding.fix = RepairLink(scene, failed.file);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5002",
                           .name = "link_loop",
                           .cause = "broken-symlink",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "a link on the way of the search leads in a circle",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::link_loop
