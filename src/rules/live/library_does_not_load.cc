// CUL9016: a library cannot be opened.
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
dlopen of a library of the driver, of CUDA or of cuDNN fails.

## Why it breaks
It is not there or not where the loader looks, it is damaged or for another CPU, or something that it needs itself is missing.

## How culprit knows
The loader's own words. The rules about files find most of these before; where they speak, this rule is silent.

## Fix
By the words; `culprit why` shows every place that was searched.

## When this is not your problem
A copy that nothing uses.

## Sources
dlopen(3), ld.so(8).
)md";

std::string_view CauseWhenNowhere(const snapshot::ProbeStep& step) {
  if (step.name == "libcuda") return "driver-missing";
  if (JobKind(step) == "cudnn") return "cudnn-missing";
  return "cuda-library-missing";
}

void Check(const Scene& scene, Ruling& ruling) {
  if (Probed(scene, ruling) == nullptr) return;
  for (const ProbeFailure* failure : FailuresOf(scene, Trouble::kNotLoaded)) {
    const snapshot::ProbeStep& step = *failure->step;
    const LoadError error = ReadLoadError(Words(step));
    const std::string wanted(step.subject.empty() ? std::string_view(step.name)
                                                  : base::BaseName(step.subject));
    report::Finding& finding =
        ruling.Fire(wanted + " cannot be opened: " + (step.detail.empty() ? Said(step) : step.detail),
                    step.subject.empty() ? step.job : step.subject);
    const bool itself = error.library.empty() || base::BaseName(error.library) == wanted;
    finding.cause = error.cause == "not-found" || error.cause.empty()
                        ? (itself ? CauseWhenNowhere(step) : std::string_view("dependent-missing"))
                        : std::string_view(error.cause);
    finding.evidence.push_back(EvidenceOf(step));
    AddOutput(step, finding);
    finding.fix = {.text = itself ? "install it, or let the loader look where it is"
                                  : "install " + error.library + ", which it needs",
                   .commands = {"culprit why " + (itself ? wanted : error.library)},
                   .risk = "low",
                   .changes = ANewProbeTells(wanted + " is opened")};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL9016",
                           .name = "library_does_not_load",
                           .cause = "search-path",
                           .severity = report::Severity::kError,
                           .since = "0.5.0",
                           .title = "a library cannot be opened",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::library_does_not_load
