// CUL5007: a library is of another word size than the program.
#include "rules/kit/binary_facts.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/rule.h"

namespace culprit::rules::wrong_bits {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The loader found a library of the right name that is made for 32 bits where the program has 64, or the other way round.

## Why it breaks
It passes over the file and goes on; when nothing else is found, the message is "wrong ELF class: ELFCLASS32".

## How culprit knows
The class in the header of the file was compared with that of the loader.

## Fix
Install the library for the word size of the program, and take the directory of the other one out of LD_LIBRARY_PATH.

## When this is not your problem
With several word sizes installed, such files are passed over in silence and do no harm.

## Sources
ld.so(8) and the source of glibc (elf/dl-load.c).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.why != Why::kWrongBits) continue;
    const std::string bits = std::to_string(BitsOf(scene.view.Open(failed.file)));
    report::Finding& finding =
        Fire(ruling, failed, failed.file + " is a " + bits + "-bit library; the program is not", failed.file);
    finding.evidence.push_back(
        {(scene.OnWindows() ? "PE header of " : "ELF class of ") + failed.file + " says " + bits + " bits",
         failed.file});
    if (scene.OnWindows()) {
      const std::string how =
          failed.redistributable == nullptr ? "" : std::string(failed.redistributable->fix);
      finding.fix = {.text = how.empty() ? "put " + failed.request->name +
                                               " of the word size of the program in its place"
                                         : how + "; the file of the other word size goes",
                     .commands = {},
                     .risk = "low",
                     .changes = {report::PutLibrary{.path = failed.file}}};
    } else {
      finding.fix = InstallInstead(scene, failed);
      finding.fix.text = "the program needs it for its own word size: " + finding.fix.text;
    }
    finding.fix.commands.push_back((scene.OnWindows() ? "culprit inspect " : "file -L ") +
                                   ForShell(scene, failed.file) + " " + ForShell(scene, failed.asker));
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5007",
                           .name = "wrong_bits",
                           .cause = "bitness-mismatch",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "a library is of another word size than the program",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::wrong_bits
