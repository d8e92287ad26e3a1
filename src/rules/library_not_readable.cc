// CUL5016: a library may not be read by this user.
#include "rules/failed_loads.h"
#include "rules/rule.h"
#include "rules/table.h"

namespace culprit::rules {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The library is there, and this user has no permission to open it or a directory above it.

## Why it breaks
The loader passes over it; at the end it says "Permission denied" or "No such file or directory". Typical after
installing as root with a strict umask, or from the home of another user.

## How culprit knows
Opening the file was refused.

## Fix
Give read permission to the file and search permission to its directories.

## When this is not your problem
Root is refused only by SELinux, by a sandbox or by a network file system.

## Sources
ld.so(8) and the source of glibc (elf/dl-load.c).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.why != Why::kNotReadable) continue;
    report::Finding& finding = Fire(
        ruling, failed,
        failed.file + " may not be read by this user, and no other " + failed.request->name + " is found",
        failed.file);
    finding.evidence.push_back({"opening " + failed.file + " is refused", failed.file});
    finding.fix = {.text = "let everyone read it",
                   .commands = {"namei -l " + failed.file, "sudo chmod a+rX " + failed.file},
                   .risk = "low"};
  }
}

}  // namespace

const Rule kLibraryNotReadable = {.code = "CUL5016",
                                  .name = "library_not_readable",
                                  .cause = "permissions",
                                  .severity = report::Severity::kError,
                                  .since = "0.2.0",
                                  .title = "a library may not be read by this user",
                                  .page = kPage,
                                  .check = Check};

}  // namespace culprit::rules
