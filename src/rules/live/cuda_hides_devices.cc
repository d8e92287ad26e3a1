// CUL9003: NVML shows devices that CUDA does not.
#include <algorithm>

#include "rules/kit/changes.h"
#include "rules/kit/live/probe_facts.h"
#include "rules/kit/live/probe_failures.h"
#include "rules/rule.h"

namespace culprit::rules::cuda_hides_devices {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
nvidia-smi lists a GPU that a CUDA program does not see.

## Why it breaks
NVML talks only to the kernel module. CUDA also needs /dev/nvidia-uvm, obeys CUDA_VISIBLE_DEVICES, counts MIG instances
instead of the GPU that they are part of, and stops counting at the first device that it cannot use.

## How culprit knows
culprit asks both NVML and the driver API, and compares their devices by UUID.

## Fix
It depends on what hides it: the variable, MIG without an instance, a device node that cannot be opened.

## When this is not your problem
CUDA_VISIBLE_DEVICES is set to choose some of several devices: then this rule stays silent.

## Sources
CUDA C++ Programming Guide, CUDA environment variables; MIG User Guide.
)md";

using snapshot::ProbedDevice;

bool Hidden(const ProbedDevice& device) { return device.cuda_index.empty() && !device.nvml_index.empty(); }

void Explain(const Scene& scene, const std::vector<const ProbedDevice*>& hidden, report::Finding& finding) {
  if (scene.IsSet("CUDA_VISIBLE_DEVICES")) {
    finding.evidence.push_back(
        {"CUDA_VISIBLE_DEVICES=" + std::string(scene.Variable("CUDA_VISIBLE_DEVICES")), "environment"});
    finding.fix = {.text = "unset the variable, or name existing devices",
                   .commands = Commands(scene, {"unset CUDA_VISIBLE_DEVICES", "nvidia-smi -L"},
                                        {"set CUDA_VISIBLE_DEVICES=", "nvidia-smi -L"}),
                   .risk = report::Risk::kLow,
                   .changes = {report::UnsetVariable{"CUDA_VISIBLE_DEVICES"},
                               ANewProbeTells("CUDA shows the devices").front()}};
    return;
  }
  if (std::ranges::any_of(hidden,
                          [](const ProbedDevice* device) { return device->mig == base::Switch::kOn; })) {
    finding.evidence.push_back({"MIG is on: CUDA sees the instances, not the GPU", "NVML"});
    finding.fix = {.text = "create a GPU instance with a compute instance in it, or turn MIG off",
                   .commands = Commands(
                       scene, {"nvidia-smi -L", "sudo nvidia-smi mig -cgi 0 -C", "sudo nvidia-smi -mig 0"},
                       {"nvidia-smi -L", "nvidia-smi mig -cgi 0 -C", "nvidia-smi -mig 0"}),
                   .risk = report::Risk::kMedium,
                   .changes = ANewProbeTells("CUDA shows an instance of the GPU")};
    return;
  }
  finding.fix = {
      .text = "check the kernel log for that device, and whether this process can open its device nodes",
      .commands = Commands(scene, {"ls -l /dev/nvidia*", "sudo dmesg | grep -i nvrm", "nvidia-smi -q"},
                           {"nvidia-smi -q"}),
      .risk = report::Risk::kNone,
      .changes = ANewProbeTells("CUDA shows the devices")};
}

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::ProbeFacts* facts = Probed(scene, ruling);
  if (facts == nullptr) return;
  std::vector<const ProbedDevice*> hidden;
  size_t shown = 0;
  for (const ProbedDevice& device : facts->devices) {
    if (Hidden(device)) hidden.push_back(&device);
    if (!device.cuda_index.empty()) ++shown;
  }
  const auto failures = FailuresOf(scene, Trouble::kDevicesDiffer);
  if (!failures.empty()) {
    const size_t count = hidden.empty() ? facts->devices.size() : hidden.size();
    report::Finding& finding =
        ruling.Fire("NVML shows " + std::to_string(count) + (count == 1 ? " device" : " devices") +
                        ", CUDA shows none: " + Said(*failures.front()->step),
                    "CUDA");
    for (const ProbeFailure* failure : failures) finding.evidence.push_back(EvidenceOf(*failure->step));
    for (const ProbedDevice* device : hidden)
      finding.evidence.push_back({NameOf(*device) + " is there", "NVML"});
    Explain(scene, hidden, finding);
    return;
  }
  // CUDA shows only some of them. If the variable is set, the user chose that.
  if (shown == 0 || hidden.empty() || scene.IsSet("CUDA_VISIBLE_DEVICES")) return;
  const bool mig = std::ranges::all_of(
      hidden, [](const ProbedDevice* device) { return device->mig == base::Switch::kOn; });
  report::Finding& finding = ruling.Fire(
      "CUDA shows " + std::to_string(shown) + " of " + std::to_string(shown + hidden.size()) + " devices; " +
          NameOf(*hidden.front()) + " is not among them" + (mig ? " because MIG is on" : ""),
      NameOf(*hidden.front()));
  finding.severity = mig ? report::Severity::kNote : report::Severity::kWarning;
  for (const ProbedDevice* device : hidden) {
    finding.evidence.push_back({NameOf(*device) + " " + device->uuid + " is not shown by CUDA", "NVML"});
  }
  Explain(scene, hidden, finding);
}

}  // namespace

extern const Rule kRule = {.code = "CUL9003",
                           .name = "cuda_hides_devices",
                           .family = Family::kLive,
                           .cause = "gpu-not-visible",
                           .severity = report::Severity::kError,
                           .since = "0.5.0",
                           .title = "NVML shows devices that CUDA does not",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cuda_hides_devices
