// CUL9001: the GPU memory is full.
#include <algorithm>

#include "rules/kit/changes.h"
#include "rules/kit/live/probe_facts.h"
#include "rules/kit/live/probe_failures.h"
#include "rules/rule.h"

namespace culprit::rules::gpu_memory_exhausted {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The device does not have enough free memory for a context, an allocation or a library handle.

## Why it breaks
Each process needs a few hundred MiB for its context before it allocates anything. Without that, cuCtxCreate and
cudaMalloc return "out of memory", and libraries hide it: CUDNN_STATUS_NOT_INITIALIZED, CUDNN_STATUS_ALLOC_FAILED,
CUBLAS_STATUS_ALLOC_FAILED, CUBLAS_STATUS_NOT_INITIALIZED.

## How culprit knows
A probe step reported it, and NVML shows how much memory is free and which processes hold the rest. Statuses that can
also mean something else count only if hardly any memory is free.

## Fix
Stop the process that holds the memory, or use another device. A process that died may leave children behind that still
hold it; `fuser -v /dev/nvidia*` shows them too. TensorFlow and JAX take nearly all memory by default:
TF_FORCE_GPU_ALLOW_GROWTH=true, XLA_PYTHON_CLIENT_PREALLOCATE=false.

## When this is not your problem
Your own training runs on that device and is meant to fill it.

## Sources
CUDA driver API, cuMemGetInfo; NVML, nvmlDeviceGetComputeRunningProcesses.
)md";

using snapshot::ProbedDevice;

std::string Holder(const snapshot::MemoryHolder& holder) {
  const std::string name = holder.name.empty() ? "" : " (" + holder.name + ")";
  return "PID " + std::to_string(holder.pid) + name +
         (holder.bytes == 0 ? " holds some of it" : " holds " + Size(holder.bytes));
}

std::vector<snapshot::MemoryHolder> BiggestFirst(const ProbedDevice& device) {
  std::vector<snapshot::MemoryHolder> holders = device.holders;
  std::ranges::sort(holders, std::ranges::greater(), &snapshot::MemoryHolder::bytes);
  return holders;
}

report::Finding& FireFor(const Scene& scene, Ruling& ruling, const ProbedDevice& device) {
  const auto holders = BiggestFirst(device);
  std::string summary =
      NameOf(device) + " has " + Size(device.memory_free) + " of " + Size(device.memory_total) + " free";
  summary +=
      holders.empty() ? ", and the driver does not show who holds the rest" : ": " + Holder(holders.front());
  if (holders.size() > 1) summary += ", " + std::to_string(holders.size() - 1) + " more hold the rest";
  report::Finding& finding = ruling.Fire(summary, NameOf(device));
  for (const auto& holder : holders) finding.evidence.push_back({Holder(holder), "NVML"});
  finding.evidence.push_back(
      {Size(device.memory_free) + " of " + Size(device.memory_total) + " free", "the driver"});
  finding.fix = {
      .text = holders.empty()
                  ? "find the process that holds it: in another container, of another user, or the child of "
                    "one that died; or use another device"
                  : "stop the process that holds the memory if you do not need it, or use another device",
      .commands = {},
      .risk = report::Risk::kMedium,
      .changes = ANewProbeTells("memory of " + NameOf(device) + " is free")};
  if (holders.empty()) {
    finding.fix.commands = Commands(scene, {"nvidia-smi", "sudo fuser -v /dev/nvidia*"}, {"nvidia-smi"});
  } else {
    const Command pid = Plain(std::to_string(holders.front().pid));
    finding.fix.commands = Commands(scene, {"ps -fp " + pid, "kill " + pid},
                                    {"tasklist /fi \"PID eq " + pid + "\"", "taskkill /pid " + pid});
  }
  return finding;
}

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::ProbeFacts* facts = Probed(scene, ruling);
  if (facts == nullptr) return;
  const auto failures = FailuresOf(scene, Trouble::kOutOfMemory);
  for (const ProbedDevice& device : facts->devices) {
    std::vector<const ProbeFailure*> here;
    for (const ProbeFailure* failure : failures) {
      if (DeviceOf(*facts, *failure->step) == &device && HardlyAnyFree(device)) here.push_back(failure);
    }
    if (here.empty() && !HardlyAnyFree(device)) continue;
    if (device.cuda_index.empty() && here.empty()) continue;  // CUDA does not use it anyway
    report::Finding& finding = FireFor(scene, ruling, device);
    if (here.empty()) finding.severity = report::Severity::kWarning;
    for (const ProbeFailure* failure : here) finding.evidence.push_back(EvidenceOf(*failure->step));
  }
  for (const ProbeFailure* failure : failures) {
    const ProbedDevice* device = DeviceOf(*facts, *failure->step);
    if (device != nullptr && HardlyAnyFree(*device)) continue;
    // Memory was free before and after: another process had it in between, or the step needed too much.
    report::Finding& finding = ruling.Fire(
        "out of memory at " + std::string(base::Word(failure->step->name)) +
            (device == nullptr
                 ? ""
                 : ", although " + NameOf(*device) + " had " + Size(device->memory_free) + " free"),
        SubjectOf(*failure->step),
        {std::string(base::Word(failure->step->name)), device == nullptr ? "" : NameOf(*device)});
    finding.evidence.push_back(EvidenceOf(*failure->step));
    AddOutput(*failure->step, finding);
    if (device != nullptr) {
      for (const auto& holder : BiggestFirst(*device)) finding.evidence.push_back({Holder(holder), "NVML"});
    }
    finding.fix = {.text =
                       "check who uses the device right now, and whether this user or container has a limit "
                       "(vGPU profile, MPS, cgroup, WSL)",
                   .commands = {"nvidia-smi"},
                   .risk = report::Risk::kNone,
                   .changes = ANewProbeTells("there is enough memory")};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL9001",
                           .name = "gpu_memory_exhausted",
                           .family = Family::kLive,
                           .cause = "out-of-memory",
                           .severity = report::Severity::kError,
                           .since = "0.5.0",
                           .title = "the GPU memory is full",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::gpu_memory_exhausted
