// CUL2002: an invalid entry in CUDA_VISIBLE_DEVICES cuts the list short or empties it.
#include "base/text.h"
#include "knowledge/visible_devices.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/kit/hidden_devices.h"
#include "rules/kit/live/probe_facts.h"
#include "rules/rule.h"

namespace culprit::rules::cuda_visible_devices_invalid {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
CUDA_VISIBLE_DEVICES has an entry that is not a device of this machine. CUDA ends the list there. A repeated entry empties the
list.

## Why it breaks
CUDA silently hides all devices after the bad entry. If it is the first one, no device is left: "no CUDA-capable device is
detected".

## How culprit knows
culprit parses the variable as CUDA does (numbers up to the first invalid one, shortened UUIDs, MIG ids) and compares it with the
GPUs that the driver lists.

## Fix
Correct the list: numbers from 0 to one less than the number of GPUs, each once.

## When this is not your problem
You use MIG ids: culprit cannot check them without the driver, and the rule says so.

## Sources
CUDA C++ Programming Guide, CUDA environment variables; torch/cuda/__init__.py, _parse_visible_devices.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const std::string name = "CUDA_VISIBLE_DEVICES";
  const std::string value(scene.Variable(name));
  const auto& gpus = scene.stack().gpus;
  if (base::Trim(value).empty() || (gpus && gpus->empty())) return ruling.NotApplicable();
  // --host names a kind of GPU, not how many there are: then only the spelling can be judged.
  const bool assumed = gpus && gpus->front().assumed;
  std::vector<knowledge::NamedDevice> devices;
  for (const snapshot::Gpu* gpu : KnownGpus(scene)) {
    if (!gpu->minor.empty() && !assumed) devices.push_back({gpu->uuid});
  }
  const auto& driver = scene.stack().driver;
  if (driver && !driver->mig_instances.empty()) devices.clear();  // then CUDA counts MIG instances
  const knowledge::VisibleDevices visible = knowledge::ParseVisibleDevices(value, devices);
  if (visible.rejected.empty()) {
    if (visible.unsure && !assumed) {
      ruling.NotEnoughFacts("the devices that CUDA_VISIBLE_DEVICES names", "only the driver knows these ids");
    }
    return;
  }
  if (HidesOnPurpose(value)) return;  // CUL2001
  const bool nothing_left = visible.entries.empty();
  report::Finding& finding = ruling.Fire(
      "CUDA_VISIBLE_DEVICES=" + value + ": \"" + visible.rejected + "\" " + visible.why +
          (nothing_left ? ", so CUDA sees no GPU"
                        : ", so CUDA sees only " + std::to_string(visible.entries.size()) + " of the GPUs"),
      name);
  if (!nothing_left) finding.severity = report::Severity::kWarning;
  finding.evidence.push_back({name + "=" + value, "environment"});
  if (!devices.empty()) {
    finding.evidence.push_back(
        {"the driver lists " + std::to_string(devices.size()) + (devices.size() == 1 ? " GPU" : " GPUs"),
         "/proc/driver/nvidia/gpus"});
  }
  finding.fix = {.text = "list only devices that exist, each once",
                 .commands = Commands(scene, {"unset CUDA_VISIBLE_DEVICES"}, {"set CUDA_VISIBLE_DEVICES="}),
                 .risk = report::Risk::kNone,
                 .changes = {report::UnsetVariable{name}}};
  if (devices.size() > 1) {
    std::string all;
    for (size_t i = 0; i < devices.size(); ++i) all += (i == 0 ? "" : ",") + std::to_string(i);
    finding.fix.commands.push_back(scene.OnWindows()
                                       ? "set CUDA_VISIBLE_DEVICES=" + Word(all)
                                       : "export CUDA_VISIBLE_DEVICES=" + Word(all) + "   # or a part of it");
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL2002",
                           .name = "cuda_visible_devices_invalid",
                           .family = Family::kVisibility,
                           .cause = "gpu-not-visible",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "CUDA_VISIBLE_DEVICES lists a device that does not exist",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cuda_visible_devices_invalid
