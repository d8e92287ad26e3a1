// CUL9008: the driver does not support this PTX version.
#include "rules/kit/changes.h"
#include "rules/kit/live/probe_facts.h"
#include "rules/kit/live/probe_failures.h"
#include "rules/rule.h"

namespace culprit::rules::ptx_refused_by_driver {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The driver was asked to compile code, and its PTX comes from a newer CUDA than the driver supports.

## Why it breaks
CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "the provided PTX was compiled with an unsupported toolchain". Within one CUDA major
an older driver runs newer machine code, but it does not compile newer PTX.

## How culprit knows
From the status of the step. culprit's own kernel uses an old PTX version, so it fails this way only on a very old
driver.

## Fix
Use a newer driver, or code compiled by a toolkit that is not newer than the driver.

## When this is not your problem
Never, if you want to run the program.

## Sources
CUDA Compatibility, minor version compatibility and PTX.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  if (Probed(scene, ruling) == nullptr) return;
  for (const ProbeFailure* failure : FailuresOf(scene, Trouble::kPtxRefused)) {
    const snapshot::ProbeStep& step = *failure->step;
    const std::string subject = SubjectOf(step);
    report::Finding& finding =
        ruling.Fire(std::string("the driver does not support the PTX ") +
                        (JobOf(step.name) == snapshot::JobKind::kDriver ? "of culprit's own kernel: "
                                                                        : "of " + subject + ": ") +
                        Said(step),
                    subject, TellingOf(step));
    finding.affects.push_back(step.job.text());
    finding.evidence.push_back(EvidenceOf(step));
    AddOutput(step, finding);
    finding.fix = {
        .text =
            "install a driver that is at least as new as the toolkit that made the PTX, or compile for "
            "this GPU's own architecture",
        .commands = {"nvidia-smi"},
        .risk = report::Risk::kMedium,
        .changes = ANewProbeTells("a newer driver compiles the PTX")};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL9008",
                           .name = "ptx_refused_by_driver",
                           .family = Family::kLive,
                           .cause = "driver-too-old",
                           .severity = report::Severity::kError,
                           .since = "0.5.0",
                           .title = "the driver does not support this PTX version",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::ptx_refused_by_driver
