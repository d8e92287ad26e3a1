// CUL2008: MIG was set up halfway.
#include <map>
#include <set>

#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::mig_without_instance {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A GPU is divided by MIG, and none of its parts has a compute instance.

## Why it breaks
CUDA runs on compute instances. `nvidia-smi mig -cgi` alone makes GPU instances; without compute instances in them CUDA sees
nothing of that GPU, though nvidia-smi lists it.

## How culprit knows
The driver's tree /proc/driver/nvidia/capabilities: instances gi without ci below them.

## Fix
Make the compute instances.

## When this is not your problem
Another process is just setting up MIG. A GPU with MIG switched on and no instances at all cannot be told from one without MIG
by files; the probe asks the driver.

## Sources
NVIDIA Multi-Instance GPU User Guide; nvidia-capabilities in /proc.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::Driver* driver = KernelSide(scene, ruling);
  if (driver == nullptr) return;
  std::map<std::string, std::vector<std::string>> lone;  // by GPU
  std::set<std::string> served;
  for (const std::string& instance : driver->mig_instances) {
    const std::string gpu = instance.substr(0, instance.find('/'));
    if (instance.find("/ci") != std::string::npos) {
      served.insert(gpu);
    } else {
      lone[gpu].push_back(instance);
    }
  }
  for (const auto& [gpu, instances] : lone) {
    if (served.contains(gpu)) continue;
    const std::string number = gpu.substr(3);
    report::Finding& finding =
        ruling.Fire("GPU " + number + " is divided by MIG into " + std::to_string(instances.size()) +
                        " GPU instance" + (instances.size() == 1 ? "" : "s") + " without a compute instance",
                    gpu);
    for (const std::string& instance : instances) {
      finding.evidence.push_back({instance + " has no ci", "/proc/driver/nvidia/capabilities/" + instance});
    }
    finding.fix = {.text = "make compute instances in them",
                   .commands = {"sudo nvidia-smi mig -i " + number + " -cci", "nvidia-smi -L"},
                   .risk = "low",
                   .changes = {}};
    for (const std::string& instance : instances)
      finding.fix.changes.push_back(report::MakeComputeInstance{instance});
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL2008",
                           .name = "mig_without_instance",
                           .cause = "gpu-not-visible",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "a GPU instance without a compute instance",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::mig_without_instance
