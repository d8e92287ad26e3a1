// CUL5007: a library is 32-bit and the program is 64-bit, or the other way round.
#include "rules/kit/binary_facts.h"
#include "rules/kit/file_fixes.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/rule.h"

namespace culprit::rules::wrong_bits {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The loader found a 32-bit library of the right name for a 64-bit program, or the other way round.

## Why it breaks
The loader skips the file and continues; if nothing else is found, the message is "wrong ELF class: ELFCLASS32".
## How culprit knows
culprit compares the class in the file's header with that of the loader.

## Fix
Install the library with the bitness of the program, and remove the directory of the other one from LD_LIBRARY_PATH.

## When this is not your problem
If a matching copy is also installed, such files are skipped silently and do no harm.

## Sources
ld.so(8) and the source of glibc (elf/dl-load.c).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.why != Why::kWrongBits) continue;
    const std::string bits = std::to_string(BitsOf(scene.view.Open(failed.file)));
    const std::string own = bits == "32" ? "64" : "32";
    report::Finding& finding =
        Fire(ruling, failed, failed.file + " is a " + bits + "-bit library; the program is not", failed.file);
    finding.evidence.push_back(
        {(scene.OnWindows() ? "PE header of " : "ELF class of ") + failed.file + " says " + bits + " bits",
         failed.file});
    if (auto again = scene.OnWindows() ? ReinstallKeeper(scene, failed.file) : std::nullopt) {
      finding.fix = *std::move(again);
    } else if (scene.OnWindows()) {
      const std::string how =
          failed.redistributable == nullptr ? "" : std::string(failed.redistributable->fix);
      finding.fix = {.text = how.empty() ? "replace it with a " + own + "-bit " + failed.request->name +
                                               ", to match the program"
                                         : how + "; remove the file with the wrong bitness",
                     .commands = {},
                     .risk = report::Risk::kLow,
                     .changes = {report::PutLibrary{.path = failed.file}}};
    } else {
      finding.fix = InstallInstead(scene, failed);
      finding.fix.text = "the program needs a " + own + "-bit library: " + finding.fix.text;
    }
    finding.fix.commands.push_back((scene.OnWindows() ? Command("culprit inspect ") : "file -L ") +
                                   Word(failed.file) + " " + Word(failed.asker));
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5007",
                           .name = "wrong_bits",
                           .family = Family::kLoading,
                           .cause = "bitness-mismatch",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "a library is 32-bit and the program is 64-bit, or the other way round",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::wrong_bits
