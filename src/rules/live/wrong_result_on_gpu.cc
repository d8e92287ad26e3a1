// CUL9009: the GPU returns wrong data.
#include <algorithm>

#include "rules/kit/changes.h"
#include "rules/kit/live/probe_facts.h"
#include "rules/kit/live/probe_failures.h"
#include "rules/rule.h"

namespace culprit::rules::wrong_result_on_gpu {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A step ran without an error, but its result is wrong.

## Why it breaks
If plain copies come back changed, memory, the bus or the device is broken. If copies are right and a library's result
is wrong, the library computes incorrectly on this device.

## How culprit knows
Copies are compared by checksum; a kernel, a matrix product and a convolution are compared with the CPU's result. The
relative error is shown.

## Fix
If copies are wrong: look for Xid and ECC errors, undo overclocking, try the card in another slot. If a library is
wrong: use another version of it.

## When this is not your problem
The error is slightly above the limit and goes away with NVIDIA_TF32_OVERRIDE=0: the library computes in TF32.

## Sources
culprit's own comparison; NVIDIA GPU debug guidelines.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::ProbeFacts* facts = Probed(scene, ruling);
  if (facts == nullptr) return;
  const auto failures = FailuresOf(scene, Trouble::kWrongResult);
  const auto is_driver = [](const ProbeFailure* failure) {
    return JobOf(failure->step->name) == snapshot::JobKind::kDriver;
  };
  const bool device_wrong = std::ranges::any_of(failures, is_driver);
  report::Finding* on_device = nullptr;
  for (const ProbeFailure* failure : failures) {
    const snapshot::ProbeStep& step = *failure->step;
    const snapshot::ProbedDevice* device = DeviceOf(*facts, step);
    const std::string gpu = device == nullptr ? "the GPU" : NameOf(*device);
    const auto error = step.figures.find("relative_error");
    const std::string by = error == step.figures.end() ? "" : ", relative error " + error->second;
    const std::string subject = step.subject.empty() ? gpu : step.subject;
    // Everything that a broken device gets wrong is one finding.
    if (device_wrong && !ruling.findings().empty()) {
      on_device->evidence.push_back(EvidenceOf(step));
      continue;
    }
    report::Finding& finding =
        ruling.Fire(device_wrong ? gpu + " gives wrong results, " +
                                       (is_driver(failure) ? "even for " : "also for ") + TitleOf(step) + by
                                 : subject + " computes wrong results on " + gpu + by +
                                       ", but copies and a plain kernel are right",
                    device_wrong ? gpu : subject, {gpu, by});
    finding.cause = device_wrong ? "hardware-fault" : "library-bug";
    finding.evidence.push_back(EvidenceOf(step));
    on_device = &finding;
    if (device_wrong) {
      finding.fix = {
          .text =
              "look for Xid and ECC errors, undo overclocking, check cooling and power; replace a card that "
              "copies incorrectly",
          .commands = Commands(
              scene, {"sudo dmesg | grep -i xid", "nvidia-smi -q -d ECC,PAGE_RETIREMENT,ROW_REMAPPER"},
              {"nvidia-smi -q -d ECC,PAGE_RETIREMENT,ROW_REMAPPER"}),
          .risk = report::Risk::kNone,
          .changes = ANewProbeTells(gpu + " gives correct results")};
    } else {
      finding.fix = {.text = "use another version of this library, and report the bug",
                     .commands = Commands(scene, {"env | grep -E 'NVIDIA_TF32_OVERRIDE|CUBLAS|CUDNN'"},
                                          {"set CU", "set NVIDIA"}),
                     .risk = report::Risk::kNone,
                     .changes = ANewProbeTells("another version gives correct results")};
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL9009",
                           .name = "wrong_result_on_gpu",
                           .family = Family::kLive,
                           .cause = "hardware-fault",
                           .severity = report::Severity::kError,
                           .since = "0.5.0",
                           .title = "the GPU computes or copies incorrectly",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::wrong_result_on_gpu
