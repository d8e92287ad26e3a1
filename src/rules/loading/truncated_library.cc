// CUL5004: a library file is truncated.
#include "base/text.h"
#include "rules/kit/file_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/rule.h"

namespace culprit::rules::truncated_library {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The file is shorter than its own headers say: an interrupted download or copy, or a full disk.

## Why it breaks
Cut off before the end of its program headers, it gives "file too short" or "cannot read file data". Cut off later, it
is mapped, and SIGBUS kills the process without any message as soon as it touches the missing part.

## How culprit knows
culprit compares the largest offset in the program headers with the size of the file.

## Fix
A file of a few bytes that contains the name of the library next to it was a symlink, which some archives and network
shares turn into text: recreate the symlink. Otherwise reinstall the file from its package; check for free disk space
first.
## When this is not your problem
Files that none of your programs load are not reported here.

## Sources
ld.so(8) and the source of glibc (elf/dl-load.c).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.why != Why::kTruncated) continue;
    const std::string size = std::to_string(scene.view.Open(failed.file).size);
    const bool was_link = !LinkInPlaceOf(scene, failed.file).empty();
    report::Finding& finding =
        Fire(ruling, failed,
             failed.file + (was_link ? " is a file of " + size + " bytes where a symlink belongs"
                                     : " is truncated: " + size + " bytes, but its headers require more"),
             failed.file);
    finding.evidence.push_back({failed.file + " ends at byte " + size, failed.file});
    finding.fix = ReplaceDamaged(scene, failed.file, failed.request->name);
    if (was_link) continue;
    finding.fix.text = "check for free disk space, then " + finding.fix.text;
    finding.fix.commands.insert(finding.fix.commands.begin(),
                                scene.OnWindows() ? "culprit inspect " + Word(failed.file)
                                                  : "df -h " + Word(base::DirName(failed.file)));
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5004",
                           .name = "truncated_library",
                           .family = Family::kLoading,
                           .cause = "corrupt-library",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "a library file is truncated",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::truncated_library
