// CUL9008: the driver does not know the version of the PTX that it was given.
#include "rules/kit/changes.h"
#include "rules/kit/live/probe_facts.h"
#include "rules/kit/live/probe_failures.h"
#include "rules/rule.h"

namespace culprit::rules::ptx_refused_by_driver {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
Code was to be compiled by the driver, and its PTX is of a later CUDA than the driver knows.

## Why it breaks
CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "the provided PTX was compiled with an unsupported toolchain". Within one CUDA major an older
driver runs newer machine code, but it compiles no newer PTX.

## How culprit knows
The status of the step. culprit's own kernel uses an old version of PTX, so it fails so only on a very old driver.

## Fix
A newer driver, or code compiled by a toolkit that is not newer than the driver.

## When this is not your problem
Never for a program that you want to run.

## Sources
CUDA Compatibility, minor version compatibility and PTX.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  if (Probed(scene, ruling) == nullptr) return;
  for (const ProbeFailure* failure : FailuresOf(scene, Trouble::kPtxRefused)) {
    const snapshot::ProbeStep& step = *failure->step;
    const std::string subject = step.subject.empty() ? step.job : step.subject;
    report::Finding& finding = ruling.Fire(
        std::string("the driver does not know the PTX ") +
            (JobKind(step) == "driver" ? "of culprit's own kernel: " : "of " + subject + ": ") + Said(step),
        subject);
    finding.affects.push_back(step.job);
    finding.evidence.push_back(EvidenceOf(step));
    AddOutput(step, finding);
    finding.fix = {
        .text =
            "install a driver that is at least as new as the toolkit that made the PTX, or compile for "
            "this GPU's own architecture",
        .commands = {"nvidia-smi"},
        .risk = "medium",
        .changes = ANewProbeTells("a newer driver compiles the PTX")};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL9008",
                           .name = "ptx_refused_by_driver",
                           .cause = "driver-too-old",
                           .severity = report::Severity::kError,
                           .since = "0.5.0",
                           .title = "the driver does not know this PTX",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::ptx_refused_by_driver
