// CUL9007: a library has no code for this GPU.
#include "rules/kit/changes.h"
#include "rules/kit/live/probe_facts.h"
#include "rules/kit/live/probe_failures.h"
#include "rules/rule.h"

namespace culprit::rules::no_gpu_code_at_run {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A kernel could not be launched because its file has no machine code and no PTX for this device.

## Why it breaks
"no kernel image is available for execution on the device", CUDNN_STATUS_ARCH_MISMATCH, CUBLAS_STATUS_ARCH_MISMATCH: the
GPU is newer than the build, or older than what it was built for.

## How culprit knows
From the status of the step. CUL7001 and CUL7002 find the same in the files of frameworks.

## Fix
Install a build for this compute capability: usually a newer release for a new GPU, an older one for an old GPU.

## When this is not your problem
The device is only for the display: choose the other one with CUDA_VISIBLE_DEVICES.

## Sources
CUDA C++ Programming Guide, binary and PTX compatibility.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::ProbeFacts* facts = Probed(scene, ruling);
  if (facts == nullptr) return;
  for (const ProbeFailure* failure : FailuresOf(scene, Trouble::kNoCode)) {
    const snapshot::ProbeStep& step = *failure->step;
    const snapshot::ProbedDevice* device = DeviceOf(*facts, step);
    const std::string gpu = device == nullptr ? "this GPU"
                            : device->compute_capability.empty()
                                ? NameOf(*device)
                                : NameOf(*device) + " with compute capability " + device->compute_capability;
    const std::string subject = SubjectOf(step);
    report::Finding& finding = ruling.Fire(subject + " has no code for " + gpu, subject, {gpu});
    finding.affects.push_back(step.job.text());
    finding.evidence.push_back(EvidenceOf(step));
    AddOutput(step, finding);
    finding.fix = {.text = "install a build that contains code for this compute capability",
                   .commands = {"culprit inspect " + (subject.starts_with('/') ? Word(subject) : "FILE")},
                   .risk = report::Risk::kLow,
                   .changes = ANewProbeTells("a build with code for " + gpu + " runs")};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL9007",
                           .name = "no_gpu_code_at_run",
                           .family = Family::kLive,
                           .cause = "arch-unsupported",
                           .severity = report::Severity::kError,
                           .since = "0.5.0",
                           .title = "a library has no code for this GPU",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::no_gpu_code_at_run
