// CUL1016: the unified-memory module or its device node is missing.
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::uvm_missing {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The module nvidia-uvm is not loaded, or /dev/nvidia-uvm is missing, and what would bring it on demand is missing too.

## Why it breaks
cuInit opens /dev/nvidia-uvm. Without it: "CUDA unknown error" (999) or cudaErrorNoDevice, while nvidia-smi looks healthy,
because it does not need it.

## How culprit knows
Loaded modules and /dev; and /usr/bin/nvidia-modprobe, the set-user-id program with which libcuda loads the module and makes
the node when a program starts. Where that works, a missing nvidia-uvm is normal and the rule says nothing. In a container
nobody can load modules.

## Fix
Install nvidia-modprobe, which loads the module and makes its node when a program starts, and run it once. In a container: pass
the device on.

## When this is not your problem
Machines that load it on demand.

## Sources
NVIDIA driver README, nvidia-modprobe; nvidia-container-toolkit lists /dev/nvidia-uvm among the devices of `compute`.
)md";

const snapshot::DeviceNode* FindNode(const snapshot::Driver& driver, const std::string& path) {
  for (const snapshot::DeviceNode& node : *driver.nodes) {
    if (node.path == path) return &node;
  }
  return nullptr;
}

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::Driver* driver = KernelSide(scene, ruling);
  if (driver == nullptr) return;
  if (!driver->kernel_version) return ruling.NotApplicable();
  if (!driver->nodes) return ruling.NotEnoughFacts("device nodes", "/dev: " + driver->nodes.why);
  const std::string path = "/dev/nvidia-uvm";
  const snapshot::DeviceNode* node = FindNode(*driver, path);
  if (node != nullptr && !node->not_a_device) return;
  // Without any node the trouble is larger than uvm.
  if (FindNode(*driver, "/dev/nvidiactl") == nullptr) return;
  const bool container = InContainer(scene);
  if (container && FindDriverLibrary(*driver) == nullptr) return;  // nothing of compute was given
  const std::string helper = container ? "" : ModprobeProblem(scene);
  const bool loaded = IsLoaded(*driver, "nvidia_uvm");
  if (!container && helper.empty() && node == nullptr) return;
  if (node != nullptr) {
    report::Finding& finding =
        ruling.Fire(path + " is not a device node but a plain file or directory", path);
    finding.evidence.push_back({"something else than a device stands at " + path, path});
    finding.fix = {.text = "remove it and let nvidia-modprobe make the node",
                   .commands = {"sudo rm -r " + path},
                   .risk = "low",
                   .changes = {report::RemoveFile{path}}};
    if (!container) AddNodeMaker(scene, finding.fix);
    AddNodes(scene, finding.fix);
    return;
  }
  report::Finding& finding = ruling.Fire(
      container ? path + " is missing in this container, though " + "/dev/nvidiactl is there"
                : (loaded ? path + " is missing and " : "the module nvidia-uvm is not loaded and ") + helper,
      path);
  finding.evidence.push_back({path + " does not exist", "/dev"});
  if (driver->modules) {
    finding.evidence.push_back(
        {loaded ? "nvidia_uvm is loaded" : "nvidia_uvm is not loaded", driver->modules.source});
  }
  if (container) {
    finding.fix = {
        .text =
            "start the container through the NVIDIA runtime with the capability compute, or add the device",
        .commands = {"docker run --gpus all ...", "docker run --device /dev/nvidia-uvm ..."},
        .risk = "low",
        .changes = {report::StartContainer{*driver->kernel_version}}};
    if (Circumstances(scene).container == "lxc") {
      finding.fix.text = "make the node on the host before the container starts, and hand it in";
      finding.fix.commands = {"sudo nvidia-modprobe -u -c=0   # on the host, at every boot",
                              "lxc.mount.entry = /dev/nvidia-uvm dev/nvidia-uvm none "
                              "bind,optional,create=file   # its configuration"};
    }
    return;
  }
  finding.evidence.push_back({helper, std::string(ModprobePath())});
  finding.fix = {
      .text = "load the module and make its node; programs do both by nvidia-modprobe from then on",
      .commands = {"sudo modprobe nvidia-uvm"},
      .risk = "low",
      .changes = {}};
  AddNodeMaker(scene, finding.fix);
  AddNodes(scene, finding.fix);
}

}  // namespace

extern const Rule kRule = {.code = "CUL1016",
                           .name = "uvm_missing",
                           .cause = "driver-not-loaded",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "nvidia-uvm is not there and nobody will load it",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::uvm_missing
