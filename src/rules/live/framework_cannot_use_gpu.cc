// CUL9013: a framework cannot use the GPU, although the layers below work.
#include "rules/kit/changes.h"
#include "rules/kit/live/probe_facts.h"
#include "rules/kit/live/probe_failures.h"
#include "rules/rule.h"

namespace culprit::rules::framework_cannot_use_gpu {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
Driver and libraries pass their probe steps, but the framework fails in the user's own interpreter.

## Why it breaks
A CPU-only build, bundled libraries that do not match, or another cuDNN than it was compiled against.

## How culprit knows
A small script ran in that interpreter: import, device list, one convolution. culprit reads its output as
`culprit explain` reads a log, and takes the cause from there.

## Fix
It depends on the cause.

## When this is not your problem
The framework is meant for the CPU.

## Sources
The framework's own messages.
)md";

// What the framework reports about its own build.
bool BuiltWithoutCuda(const snapshot::ProbeStep& step) {
  const std::string words = Words(step);
  return step.status == base::OwnStatus::kCpuOnly || step.status == base::OwnStatus::kNotCuda ||
         words.find("not compiled with CUDA") != std::string::npos;
}

void Check(const Scene& scene, Ruling& ruling) {
  if (Probed(scene, ruling) == nullptr) return;
  for (const ProbeFailure* failure : FailuresOf(scene, Trouble::kFramework)) {
    const snapshot::ProbeStep& step = *failure->step;
    const std::string name = FrameworkOf(step);
    const bool without = BuiltWithoutCuda(step);
    report::Finding& finding =
        ruling.Fire(without ? name + " was built without CUDA" : name + " cannot use the GPU: " + Said(step),
                    SubjectOf(step), without ? std::vector{name} : TellingOf(step));
    finding.cause = without                                    ? "framework-cpu-only"
                    : step.name == snapshot::StepName::kImport ? "framework-version-conflict"
                                                               : "library-bug";
    finding.affects.push_back(step.job.text());
    finding.evidence.push_back(EvidenceOf(step));
    AddOutput(step, finding);
    finding.fix = {.text = without ? "install a CUDA build of " + name + " in this environment"
                                   : "install " + name + " in a new environment",
                   .commands = {"culprit check"},
                   .risk = report::Risk::kLow,
                   .changes = ANewProbeTells(name + " uses the GPU")};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL9013",
                           .name = "framework_cannot_use_gpu",
                           .family = Family::kLive,
                           .cause = "framework-cpu-only",
                           .severity = report::Severity::kError,
                           .since = "0.5.0",
                           .title = "a framework cannot use the GPU, although the layers below work",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::framework_cannot_use_gpu
