// CUL9002: the GPU's compute mode blocks this process.
#include "rules/kit/changes.h"
#include "rules/kit/live/probe_facts.h"
#include "rules/kit/live/probe_failures.h"
#include "rules/rule.h"

namespace culprit::rules::compute_mode_forbids {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The device is set to exclusive (one process) or prohibited (none).

## Why it breaks
In exclusive mode the second process gets CUDA_ERROR_DEVICE_UNAVAILABLE, "all CUDA-capable devices are busy or
unavailable"; in prohibited mode every process does. A framework then falls back to the CPU or exits.

## How culprit knows
NVML reports the mode, and creating a context on the device failed.

## Fix
Set the mode back to default. Clusters set it on purpose: there, request the whole device or use another one.

## When this is not your problem
A cluster gives each job its own device.

## Sources
NVML, nvmlDeviceGetComputeMode; nvidia-smi(1), --compute-mode.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::ProbeFacts* facts = Probed(scene, ruling);
  if (facts == nullptr) return;
  for (const snapshot::ProbedDevice& device : facts->devices) {
    report::Finding* finding = nullptr;
    const std::string mode(base::Word(device.compute_mode));
    for (const ProbeFailure* failure : FailuresOf(scene, Trouble::kComputeMode)) {
      if (DeviceOf(*facts, *failure->step) != &device) continue;
      if (finding == nullptr) {
        std::string who;
        if (!device.holders.empty()) {
          const snapshot::MemoryHolder& holder = device.holders.front();
          who = ", and PID " + std::to_string(holder.pid) +
                (holder.name.empty() ? "" : " (" + holder.name + ")") + " holds it";
        }
        finding = &ruling.Fire(NameOf(device) + " is in compute mode " + mode + who, NameOf(device));
        finding->evidence.push_back({"compute mode " + mode, "NVML"});
        finding->fix = {
            .text = "set the compute mode back to default; on a cluster request your own device instead",
            .commands = {(scene.OnWindows() ? Command("") : "sudo ") + "nvidia-smi -i " +
                         (device.nvml_index.empty() ? "0" : Plain(device.nvml_index)) + " -c DEFAULT"},
            .risk = report::Risk::kLow,
            .changes = ANewProbeTells("the compute mode of " + NameOf(device) + " is default")};
      }
      finding->evidence.push_back(EvidenceOf(*failure->step));
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL9002",
                           .name = "compute_mode_forbids",
                           .family = Family::kLive,
                           .cause = "gpu-not-visible",
                           .severity = report::Severity::kError,
                           .since = "0.5.0",
                           .title = "the GPU's compute mode blocks this process",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::compute_mode_forbids
