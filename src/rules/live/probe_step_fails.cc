// CUL9017: a step fails for a reason that has no rule of its own.
#include "rules/kit/changes.h"
#include "rules/kit/live/probe_facts.h"
#include "rules/kit/live/probe_failures.h"
#include "rules/kit/live/status_meaning.h"
#include "rules/rule.h"

namespace culprit::rules::probe_step_fails {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
Something that should work on this machine does not, and no other rule knows the failure.

## Why it breaks
By the status: its meaning and the causes that it speaks for are those of `culprit explain`.

## How culprit knows
The step's status and what its child wrote, read as `culprit explain` reads a log.

## Fix
By the cause that fits best.

## When this is not your problem
A child that was ended from outside: the machine's out-of-memory killer, a limit of the batch system.

## Sources
data/status_codes.toml and data/causes.toml.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::ProbeFacts* facts = Probed(scene, ruling);
  if (facts == nullptr) return;
  for (const ProbeFailure* failure : FailuresOf(scene, Trouble::kOther)) {
    const snapshot::ProbeStep& step = *failure->step;
    report::Finding& finding =
        ruling.Fire((step.title.empty() ? step.name : step.title) + " fails: " + Said(step),
                    step.subject.empty() ? step.job : step.subject);
    finding.affects.push_back(step.job);
    finding.evidence.push_back(EvidenceOf(step));
    const snapshot::ProbedDevice* device = DeviceOf(*facts, step);
    const bool roomy = device != nullptr && device->memory_total > 0 && !HardlyAnyFree(*device);
    if (const StatusMeaning meaning = MeaningOf(step.status, roomy ? "out-of-memory" : "");
        !meaning.cause.empty()) {
      finding.cause = meaning.cause;
      finding.evidence.push_back({meaning.says, "culprit explain " + step.status});
    }
    AddOutput(step, finding);
    const bool vanished = step.outcome == "ended" || step.outcome == "garbage";
    finding.fix = {
        .text = vanished ? "look whether something ends or wraps every process here: limits, LD_PRELOAD, a "
                           "profiler, the "
                           "kernel's out-of-memory killer"
                         : "see what the status means, and what speaks for which cause",
        .commands = vanished
                        ? Commands(scene, {"sudo dmesg | tail -30"}, {})
                        : std::vector{"culprit explain " + (step.status.empty() ? step.name : step.status)},
        .risk = "none",
        .changes = ANewProbeTells("the step succeeds")};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL9017",
                           .name = "probe_step_fails",
                           .cause = "library-bug",
                           .severity = report::Severity::kError,
                           .since = "0.5.0",
                           .title = "a step of the probe fails for a reason without a rule of its own",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::probe_step_fails
