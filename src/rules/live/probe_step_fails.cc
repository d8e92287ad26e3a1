// CUL9017: a probe step fails for a reason that no other rule covers.
#include "rules/kit/changes.h"
#include "rules/kit/live/probe_facts.h"
#include "rules/kit/live/probe_failures.h"
#include "rules/kit/live/status_meaning.h"
#include "rules/rule.h"

namespace culprit::rules::probe_step_fails {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
Something that should work on this machine does not, and no other rule covers the failure.

## Why it breaks
It depends on the status: `culprit explain` gives its meaning and likely causes.

## How culprit knows
From the step's status and the output of its child, read as `culprit explain` reads a log.

## Fix
It depends on the most likely cause.

## When this is not your problem
Something else killed the child: the out-of-memory killer, a limit of the batch system.

## Sources
data/status_codes.toml and data/explain/.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::ProbeFacts* facts = Probed(scene, ruling);
  if (facts == nullptr) return;
  for (const ProbeFailure* failure : FailuresOf(scene, Trouble::kOther)) {
    const snapshot::ProbeStep& step = *failure->step;
    report::Finding& finding =
        ruling.Fire(TitleOf(step) + " fails: " + Said(step), SubjectOf(step), TellingOf(step));
    finding.affects.push_back(step.job.text());
    finding.evidence.push_back(EvidenceOf(step));
    const snapshot::ProbedDevice* device = DeviceOf(*facts, step);
    const bool roomy = device != nullptr && device->memory_total > 0 && !HardlyAnyFree(*device);
    if (const StatusMeaning meaning = MeaningOf(step.status.text(), roomy ? "out-of-memory" : "");
        !meaning.cause.empty()) {
      finding.cause = meaning.cause;
      finding.evidence.push_back({meaning.says, "culprit explain " + step.status.text()});
    }
    AddOutput(step, finding);
    const bool vanished =
        step.outcome == snapshot::StepOutcome::kEnded || step.outcome == snapshot::StepOutcome::kGarbage;
    finding.fix = {
        .text = vanished ? "check whether something kills or wraps every process here: limits, LD_PRELOAD, a "
                           "profiler, the kernel's out-of-memory killer"
                         : "look up what the status means and which causes are likely",
        .commands = vanished ? Commands(scene, {"sudo dmesg | tail -30"}, {})
                             : std::vector{"culprit explain " + Word(step.status.empty()
                                                                         ? std::string(base::Word(step.name))
                                                                         : step.status.text())},
        .risk = report::Risk::kNone,
        .changes = ANewProbeTells("the step succeeds")};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL9017",
                           .name = "probe_step_fails",
                           .family = Family::kLive,
                           .cause = "library-bug",
                           .severity = report::Severity::kError,
                           .since = "0.5.0",
                           .title = "a probe step fails for a reason that no other rule covers",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::probe_step_fails
