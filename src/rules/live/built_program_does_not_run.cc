// CUL9015: a freshly built program does not run.
#include "rules/kit/changes.h"
#include "rules/kit/live/probe_facts.h"
#include "rules/kit/live/probe_failures.h"
#include "rules/kit/loading/load_error.h"
#include "rules/rule.h"

namespace culprit::rules::built_program_does_not_run {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The program compiles and links, but fails when it starts or at its first call.

## Why it breaks
The linker and the loader search different places: a linked library is not found, or another copy is found. Or the
driver is older than the toolkit.
## How culprit knows
culprit runs the program in a temporary directory and quotes its output.

## Fix
Let the loader find what was linked: with a RUNPATH (-rpath), /etc/ld.so.conf.d, or the library's package.
## When this is not your problem
The machine only builds programs.

## Sources
The messages of the loader and of the program.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  if (Probed(scene, ruling) == nullptr) return;
  for (const ProbeFailure* failure : FailuresOf(scene, Trouble::kBuiltDoesNotRun)) {
    const snapshot::ProbeStep& step = *failure->step;
    const LoadError error = ReadLoadError(Words(step));
    const bool not_found = error.cause == "not-found";
    report::Finding& finding = ruling.Fire(
        not_found ? "the program links against " + error.library + ", which the loader does not find"
                  : "a freshly built program does not run: " + Said(step),
        SubjectOf(step), not_found ? std::vector{error.library} : TellingOf(step));
    if (!not_found && !error.cause.empty()) finding.cause = error.cause;
    if (CudaCode(step) == 35) finding.cause = "driver-too-old";
    finding.evidence.push_back(EvidenceOf(step));
    AddOutput(step, finding);
    finding.fix = {.text = not_found ? "give the program a RUNPATH, or add the directory to ldconfig"
                                     : "compare the versions of driver, toolkit and libraries",
                   .commands = {not_found ? "culprit why " + Word(error.library) : "culprit check"},
                   .risk = report::Risk::kLow,
                   .changes = ANewProbeTells("a freshly built program runs")};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL9015",
                           .name = "built_program_does_not_run",
                           .family = Family::kLive,
                           .cause = "search-path",
                           .severity = report::Severity::kError,
                           .since = "0.5.0",
                           .title = "a freshly built program does not run",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::built_program_does_not_run
