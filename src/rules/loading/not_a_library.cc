// CUL5006: a file with a library's name is not a library.
#include "rules/kit/file_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/rule.h"

namespace culprit::rules::not_a_library {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The file does not start like a library. Usually it is a Git LFS pointer, an error page that was saved instead of the
download, or a linker script; a file of zeros after a system crash; or a file with a damaged header.

## Why it breaks
The loader does not skip it: the load fails with "invalid ELF header", even if a good copy comes later.

## How culprit knows
culprit reads the first bytes of the file.

## Fix
Get the real file: `git lfs pull` for a pointer, a new download for an error page, the package for everything else.

## When this is not your problem
Linker scripts (libc.so, libncurses.so) are for the linker; under names without a version number they are fine.

## Sources
ld.so(8) and the source of glibc (elf/dl-load.c).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.why != Why::kNotALibrary) continue;
    const auto& elf = scene.view.Open(failed.file).elf;
    const bool damaged = elf != nullptr && elf->problem != binfmt::ElfProblem::kNotElf;
    report::Finding& finding = Fire(ruling, failed,
                                    failed.file +
                                        (damaged             ? " has a damaged header"
                                         : scene.OnWindows() ? " is not a DLL"
                                                             : " is not an ELF file") +
                                        ", and the search for " + failed.request->name + " stops there",
                                    failed.file, {failed.request->name});
    finding.evidence.push_back(
        {failed.file + (damaged ? " starts like a library, but the rest of its header is invalid"
                                : " does not start like a library"),
         failed.file});
    finding.fix = ReplaceDamaged(scene, failed.file, failed.request->name);
    finding.fix.text = "look at what it is, then get the real file (git lfs pull for a Git LFS pointer): " +
                       finding.fix.text;
    finding.fix.commands.insert(
        finding.fix.commands.begin(),
        (scene.OnWindows() ? Command("culprit inspect ") : "head -c 200 ") + Word(failed.file));
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5006",
                           .name = "not_a_library",
                           .family = Family::kLoading,
                           .cause = "corrupt-library",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "a file with a library's name is not a library",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::not_a_library
