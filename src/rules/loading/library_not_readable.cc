// CUL5016: this user cannot read a library.
#include "base/text.h"
#include "rules/kit/file_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/rule.h"

namespace culprit::rules::library_not_readable {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The library is there, but this user has no permission to open it or a directory above it.

## Why it breaks
The loader skips it and finally reports "Permission denied" or "No such file or directory". This is typical after
installing as root with a strict umask, or from another user's home.

## How culprit knows
Opening the file is denied.

## Fix
Make the file readable and its directories searchable.

## When this is not your problem
Root is denied only by SELinux, a sandbox or a network file system.

## Sources
ld.so(8) and the source of glibc (elf/dl-load.c).
)md";

report::Fix LetRead(const Scene& scene, const std::string& file) {
  const std::string place = PlaceOf(scene, file);
  if (scene.OnWindows()) {
    return {.text = "make it readable for everyone",
            .commands = {"icacls " + Word(file) + " /grant *S-1-5-32-545:RX"},
            .risk = report::Risk::kLow,
            .changes = {report::SetMode{place, 0644}}};
  }
  const std::string directory(base::DirName(place));
  const bool shut = !scene.view.List(directory);
  report::Fix fix{
      .text = "make it readable for everyone",
      .commands = {"namei -l " + Word(file),
                   Sudo(scene, place) + "chmod a+rX " + (shut ? Word(directory) + " " : "") + Word(file)},
      .risk = report::Risk::kLow};
  if (shut) fix.changes.push_back(report::SetMode{directory, 0755});
  fix.changes.push_back(report::SetMode{place, 0644});
  return fix;
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.why != Why::kNotReadable) continue;
    report::Finding& finding = Fire(
        ruling, failed,
        failed.file + " is not readable by this user, and no other " + failed.request->name + " is found",
        failed.file, {failed.request->name});
    finding.evidence.push_back({"opening " + failed.file + " is denied", failed.file});
    finding.fix = LetRead(scene, failed.file);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5016",
                           .name = "library_not_readable",
                           .family = Family::kLoading,
                           .cause = "permissions",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "this user cannot read a library",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::library_not_readable
