// CUL2008: MIG has GPU instances but no compute instance.
#include <map>
#include <set>

#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::mig_without_instance {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
MIG splits a GPU into GPU instances, and none of them has a compute instance.

## Why it breaks
CUDA runs on compute instances. `nvidia-smi mig -cgi` alone creates only GPU instances. Without compute instances in them CUDA
does not see that GPU, though nvidia-smi lists it.

## How culprit knows
The driver's tree /proc/driver/nvidia/capabilities has gi instances without a ci below them.

## Fix
Create the compute instances.

## When this is not your problem
Another process is setting up MIG right now. Files do not show whether a GPU without any instance has MIG on; `culprit probe`
asks the driver.

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
        ruling.Fire("MIG splits GPU " + number + " into " + std::to_string(instances.size()) +
                        " GPU instance" + (instances.size() == 1 ? "" : "s") + " without a compute instance",
                    gpu);
    for (const std::string& instance : instances) {
      finding.evidence.push_back({instance + " has no ci", "/proc/driver/nvidia/capabilities/" + instance});
    }
    finding.fix = {.text = "create compute instances in them",
                   .commands = {"sudo nvidia-smi mig -i " + Plain(number) + " -cci", "nvidia-smi -L"},
                   .risk = report::Risk::kLow,
                   .changes = {}};
    for (const std::string& instance : instances)
      finding.fix.changes.push_back(report::MakeComputeInstance{instance});
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL2008",
                           .name = "mig_without_instance",
                           .family = Family::kVisibility,
                           .explains = Explains::kCudaStart | Explains::kNvml,
                           .cause = "gpu-not-visible",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "a MIG GPU instance has no compute instance",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::mig_without_instance
