// CUL9016: a library fails to load.
#include "base/text.h"
#include "rules/kit/changes.h"
#include "rules/kit/live/probe_facts.h"
#include "rules/kit/live/probe_failures.h"
#include "rules/kit/loading/load_error.h"
#include "rules/rule.h"

namespace culprit::rules::library_does_not_load {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
dlopen of a driver, CUDA or cuDNN library fails.

## Why it breaks
It is missing, or in a directory that the loader does not search; it is damaged or built for another CPU architecture;
or a library that it needs is missing.
## How culprit knows
From the loader's message. The rules about files find most of these first; where they fire, this rule stays silent.

## Fix
It depends on the message; `culprit why` shows every place that was searched.

## When this is not your problem
Nothing uses this copy.

## Sources
dlopen(3), ld.so(8).
)md";

std::string_view CauseWhenNowhere(const snapshot::ProbeStep& step) {
  if (step.name == snapshot::StepName::kLibcuda) return "driver-missing";
  if (JobOf(step.name) == snapshot::JobKind::kCudnn) return "cudnn-missing";
  return "cuda-library-missing";
}

void Check(const Scene& scene, Ruling& ruling) {
  if (Probed(scene, ruling) == nullptr) return;
  for (const ProbeFailure* failure : FailuresOf(scene, Trouble::kNotLoaded)) {
    const snapshot::ProbeStep& step = *failure->step;
    const LoadError error = ReadLoadError(Words(step));
    const std::string wanted(step.subject.empty() ? base::Word(step.name) : base::BaseName(step.subject));
    report::Finding& finding = ruling.Fire(
        wanted + " fails to load: " + (step.detail.empty() ? Said(step) : step.detail), SubjectOf(step),
        step.detail.empty() ? TellingOf(step) : std::vector{wanted, step.detail});
    const bool itself = error.library.empty() || base::BaseName(error.library) == wanted;
    finding.cause = error.cause == "not-found" || error.cause.empty()
                        ? (itself ? CauseWhenNowhere(step) : std::string_view("dependent-missing"))
                        : std::string_view(error.cause);
    finding.evidence.push_back(EvidenceOf(step));
    AddOutput(step, finding);
    finding.fix = {.text = itself ? "install it, or add its directory to the loader's search"
                                  : "install " + error.library + ", which it needs",
                   .commands = {"culprit why " + Word(itself ? wanted : error.library)},
                   .risk = report::Risk::kLow,
                   .changes = ANewProbeTells(wanted + " loads")};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL9016",
                           .name = "library_does_not_load",
                           .family = Family::kLive,
                           .cause = "search-path",
                           .severity = report::Severity::kError,
                           .since = "0.5.0",
                           .title = "a library fails to load",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::library_does_not_load
