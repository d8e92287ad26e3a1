// CUL5001: a dangling or missing symlink in a searched directory.
#include "rules/kit/file_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/rule.h"

namespace culprit::rules::broken_soname_link {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The name that a program requests is a symlink in a searched directory, and its target is gone. Or only the fully
versioned file is there, and the symlink with the name that programs request was never created.

## Why it breaks
The loader skips it as if nothing were there. An upgrade removed the versioned file, or a tree was copied without its
files.

## How culprit knows
culprit simulates the load and meets a symlink whose target does not exist. For a missing symlink: a file in a searched
directory has this name as its soname.

## Fix
If the library with that soname is in the same directory, point the symlink at it, as ldconfig would. Otherwise
reinstall the package that owns the symlink. Do not symlink to a different version.
## When this is not your problem
Dangling symlinks that none of your programs reach are harmless and not reported.

## Sources
ld.so(8) and the source of glibc (elf/dl-load.c).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    const bool missing = failed.why == Why::kLinkMissing;
    if (failed.why != Why::kDanglingLink && !missing) continue;
    if (failed.IsCudnn() || failed.EndsImport()) continue;  // CUL3009, CUL6002
    report::Finding& finding = Fire(
        ruling, failed,
        missing ? failed.file + " is missing: only the fully versioned file is there"
                : failed.file + " is a dangling symlink, and no other " + failed.request->name + " is found",
        failed.file, {failed.request->name});
    if (missing) {
      finding.evidence.push_back(WithoutLink(scene, failed.file));
    } else {
      finding.evidence.push_back({"the target of " + failed.file + " does not exist", failed.file});
    }
    finding.fix = RepairLink(scene, failed.file);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5001",
                           .name = "broken_soname_link",
                           .family = Family::kLoading,
                           .cause = "broken-symlink",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "a library symlink is dangling or missing",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::broken_soname_link
