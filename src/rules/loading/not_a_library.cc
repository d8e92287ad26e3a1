// CUL5006: a text file stands under the name of a library.
#include "rules/kit/file_fixes.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/rule.h"

namespace culprit::rules::not_a_library {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The file does not begin as a library does. Usually it is a pointer of Git LFS, an error page that was saved instead of
the download, or a linker script; nothing but zeros after a crash of the machine; or a header with damage in it.

## Why it breaks
The loader does not pass over it: the load ends with "invalid ELF header", though a good copy may follow.

## How culprit knows
The first bytes of the file were read.

## Fix
Fetch the real file: `git lfs pull` for a pointer, another download for a page, the package for everything else.

## When this is not your problem
Linker scripts (libc.so, libncurses.so) serve the linker under names without a number and are fine there.

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
                                         : scene.OnWindows() ? " is no DLL"
                                                             : " is no ELF file") +
                                        ", and the search for " + failed.request->name + " ends there",
                                    failed.file);
    finding.evidence.push_back({failed.file + (damaged ? " begins as a library does, and goes on otherwise"
                                                       : " does not begin as a library does"),
                                failed.file});
    finding.fix = ReplaceDamaged(scene, failed.file, failed.request->name);
    finding.fix.text =
        "look at what it is, then put the real file there (git lfs pull for a pointer of Git LFS): " +
        finding.fix.text;
    finding.fix.commands.insert(
        finding.fix.commands.begin(),
        (scene.OnWindows() ? "culprit inspect " : "head -c 200 ") + ForShell(scene, failed.file));
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5006",
                           .name = "not_a_library",
                           .cause = "corrupt-library",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "a text file stands under the name of a library",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::not_a_library
