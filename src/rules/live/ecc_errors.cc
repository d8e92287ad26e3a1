// CUL9012: the GPU memory has uncorrected ECC errors.
#include "rules/kit/changes.h"
#include "rules/kit/live/probe_facts.h"
#include "rules/kit/live/probe_failures.h"
#include "rules/rule.h"

namespace culprit::rules::ecc_errors {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
NVML counts uncorrected ECC errors since the driver was loaded.

## Why it breaks
An uncorrected error kills the process that touched it (Xid 48, 94, 95) and may need a reset before the page is
retired.

## How culprit knows
NVML's volatile counter of uncorrected errors.

## Fix
Reset the GPU or reboot, so that bad rows are remapped; replace the card if errors come back.

## When this is not your problem
An old error whose row is already remapped: the counter is reset at the next boot.

## Sources
NVML, nvmlDeviceGetTotalEccErrors; NVIDIA GPU memory error management.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::ProbeFacts* facts = Probed(scene, ruling);
  if (facts == nullptr) return;
  for (const snapshot::ProbedDevice& device : facts->devices) {
    if (device.ecc_errors.empty() || device.ecc_errors == "0") continue;
    report::Finding& finding =
        ruling.Fire(NameOf(device) + " has " + device.ecc_errors + " uncorrected ECC " +
                        (device.ecc_errors == "1" ? "error" : "errors") + " since the driver was loaded",
                    NameOf(device));
    finding.evidence.push_back(
        {device.ecc_errors + " uncorrected errors, ECC " + std::string(base::Word(device.ecc)), "NVML"});
    finding.fix = {
        .text = "stop what runs there and reset the GPU, or reboot; replace the card if errors come back",
        .commands = Commands(scene,
                             {"nvidia-smi -q -d ECC,ROW_REMAPPER", "sudo dmesg | grep -i xid",
                              "sudo nvidia-smi --gpu-reset -i " + Plain(device.nvml_index)},
                             {"nvidia-smi -q -d ECC,ROW_REMAPPER"}),
        .risk = report::Risk::kMedium,
        .changes = ANewProbeTells("the error counter of " + NameOf(device) + " is 0")};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL9012",
                           .name = "ecc_errors",
                           .family = Family::kLive,
                           .cause = "hardware-fault",
                           .severity = report::Severity::kWarning,
                           .since = "0.5.0",
                           .title = "the GPU memory has uncorrected ECC errors",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::ecc_errors
