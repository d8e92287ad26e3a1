// CUL1019: on NVSwitch machines CUDA needs the fabric manager.
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::nvswitch_fabric_down {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
NVSwitches connect the GPUs of this machine, and the service nvidia-fabricmanager is not running.

## Why it breaks
The fabric manager sets up the switches. Until then cuInit fails with 802 "system not yet initialized", while nvidia-smi
looks healthy.

## How culprit knows
An NVSwitch on the PCI bus or its node in /dev; no process called nv-fabricmanager in /proc.

## Fix
Install nvidia-fabricmanager in exactly the driver's version, enable and start it.

## When this is not your problem
You are in a virtual machine whose host runs the service. Blackwell machines show no switch on the PCI bus, so the rule does not
fire there.

## Sources
NVIDIA Fabric Manager User Guide; CUDA driver API, CUDA_ERROR_SYSTEM_NOT_READY (802).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::Driver* driver = KernelSide(scene, ruling);
  if (driver == nullptr) return;
  const auto& running = driver->fabric_manager;
  if (running.state == snapshot::FactState::kUnreadable) {
    return ruling.NotEnoughFacts("whether the fabric manager is running", running.why);
  }
  if (!running || !driver->kernel_version) return ruling.NotApplicable();
  if (*running) return;
  report::Finding& finding = ruling.Fire(
      "this machine has NVSwitches, but nvidia-fabricmanager is not running", "nvidia-fabricmanager");
  finding.evidence.push_back({"no process nv-fabricmanager", running.source});
  finding.evidence.push_back(ModuleEvidence(*driver));
  finding.fix = {.text = "start the service; its version must be exactly " + *driver->kernel_version,
                 .commands = {"sudo systemctl enable --now nvidia-fabricmanager",
                              "systemctl status nvidia-fabricmanager"},
                 .risk = report::Risk::kLow,
                 .changes = {report::StartProcess{"nvidia-fabricmanager"}}};
}

}  // namespace

extern const Rule kRule = {.code = "CUL1019",
                           .name = "nvswitch_fabric_down",
                           .family = Family::kDriver,
                           .cause = "driver-not-loaded",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "this machine has NVSwitches, but the fabric manager is not running",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::nvswitch_fabric_down
