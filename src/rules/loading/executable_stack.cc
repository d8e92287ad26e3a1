// CUL5012: a library requires an executable stack, which glibc refuses.
#include "rules/kit/loading/failed_loads.h"
#include "rules/rule.h"

namespace culprit::rules::executable_stack {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The library is marked as needing an executable stack, usually by accident: an assembler file without the stack note.

## Why it breaks
Since glibc 2.41 dlopen refuses such libraries: "cannot enable executable stack as shared object requires: Invalid
argument". The same file worked on the older system.

## How culprit knows
The PT_GNU_STACK flags in the file, and the version of the loader.

## Fix
Use a newer build of the library, or clear the flag if you trust that nothing needs it.

## When this is not your problem
Programs that carry the mark themselves still start.

## Sources
Release notes of glibc 2.41; ld.so(8) and the source of glibc (elf/dl-load.c).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.why != Why::kExecutableStack) continue;
    report::Finding& finding =
        Fire(ruling, failed, failed.file + " requires an executable stack, which this system's glibc refuses",
             failed.file);
    finding.evidence.push_back({"PT_GNU_STACK of " + failed.file + " has the flag X", failed.file});
    const std::string real = scene.view.RealPath(failed.file);
    finding.fix = {.text =
                       "use a newer build of this library, or clear the flag with patchelf 0.18 or newer "
                       "(keep a copy of the file)",
                   .commands = {"patchelf --clear-execstack " + Word(failed.file)},
                   .risk = report::Risk::kMedium,
                   .changes = {report::PutLibrary{.path = real, .like = real}}};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5012",
                           .name = "executable_stack",
                           .family = Family::kLoading,
                           .cause = "permissions",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "a library requires an executable stack, which glibc refuses",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::executable_stack
