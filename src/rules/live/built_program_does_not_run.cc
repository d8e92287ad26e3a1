// CUL9015: a program that was just compiled and linked does not run.
#include "rules/kit/changes.h"
#include "rules/kit/live/probe_facts.h"
#include "rules/kit/live/probe_failures.h"
#include "rules/kit/loading/load_error.h"
#include "rules/rule.h"

namespace culprit::rules::built_program_does_not_run {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
Compiler and linker were content, and the program fails when it starts or at its first call.

## Why it breaks
The linker looks in other places than the loader: a library that was linked is not found, or another copy is. Or the driver is older
than the toolkit.

## How culprit knows
The program ran in a temporary directory; its words are told.

## Fix
Let the loader find what was linked: a run path (-rpath), /etc/ld.so.conf.d, or the library's package.

## When this is not your problem
A machine that only builds.

## Sources
The words of the loader and of the program.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  if (Probed(scene, ruling) == nullptr) return;
  for (const ProbeFailure* failure : FailuresOf(scene, Trouble::kBuiltDoesNotRun)) {
    const snapshot::ProbeStep& step = *failure->step;
    const LoadError error = ReadLoadError(Words(step));
    const bool not_found = error.cause == "not-found";
    report::Finding& finding = ruling.Fire(
        not_found ? "the program links against " + error.library + ", which the loader does not find"
                  : "a program that was just built does not run: " + Said(step),
        step.subject.empty() ? step.job : step.subject);
    if (!not_found && !error.cause.empty()) finding.cause = error.cause;
    if (CudaCode(step) == 35) finding.cause = "driver-too-old";
    finding.evidence.push_back(EvidenceOf(step));
    AddOutput(step, finding);
    finding.fix = {.text = not_found ? "give the program a run path, or let ldconfig know the directory"
                                     : "compare the versions of driver, toolkit and libraries",
                   .commands = {not_found ? "culprit why " + error.library : "culprit check"},
                   .risk = "low",
                   .changes = ANewProbeTells("a program that is built anew runs")};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL9015",
                           .name = "built_program_does_not_run",
                           .cause = "search-path",
                           .severity = report::Severity::kError,
                           .since = "0.5.0",
                           .title = "a program that was just built does not run",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::built_program_does_not_run
