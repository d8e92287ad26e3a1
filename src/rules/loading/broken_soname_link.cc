// CUL5001: a link on the way of the search leads nowhere.
#include "rules/kit/file_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/rule.h"

namespace culprit::rules::broken_soname_link {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The name that a program asks for is a symbolic link in a searched directory, and its target is gone. Or the library
stands there under its full number alone, and the link with the name that programs ask for was never made.

## Why it breaks
The loader passes over it as if nothing were there. An upgrade removed the numbered file, or a tree was copied without
its files.

## How culprit knows
The link was met while the load was played; nothing lies at its target. A missing link: a file in a searched directory
says inside that this is its name.

## Fix
Where the library that carries the name stands beside the link, set the link to it, as ldconfig would. Otherwise install
the package again that owns the link. Do not link to a file of another version.

## When this is not your problem
Dangling links that no program of yours meets do no harm and are not reported.

## Sources
ld.so(8) and the source of glibc (elf/dl-load.c).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    const bool missing = failed.why == Why::kLinkMissing;
    if (failed.why != Why::kDanglingLink && !missing) continue;
    if (failed.IsCudnn() || failed.EndsImport()) continue;  // CUL3009, CUL6002
    report::Finding& finding =
        Fire(ruling, failed,
             missing ? failed.file + " is missing: the library stands there under its number alone"
                     : failed.file + " is a link that leads nowhere, and no other " + failed.request->name +
                           " is found",
             failed.file);
    finding.evidence.push_back(
        {missing ? LinkTarget(scene, failed.file) + " stands in that directory, and no link to it"
                 : failed.file + " leads to nothing",
         failed.file});
    finding.fix = RepairLink(scene, failed.file);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5001",
                           .name = "broken_soname_link",
                           .cause = "broken-symlink",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "a link on the way of the search leads nowhere",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::broken_soname_link
