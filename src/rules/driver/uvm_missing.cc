// CUL1016: the unified-memory module or its device node is missing.
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::uvm_missing {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The module nvidia-uvm is not loaded, or /dev/nvidia-uvm is missing, and nothing will load or create it on demand.

## Why it breaks
cuInit opens /dev/nvidia-uvm. Without it: "CUDA unknown error" (999) or cudaErrorNoDevice. nvidia-smi does not need it and looks
healthy.

## How culprit knows
The loaded modules, /dev, and /usr/bin/nvidia-modprobe, the setuid program with which libcuda loads the module and creates the
node when a program starts. If that works, a missing nvidia-uvm is normal and the rule does not fire. A container cannot load
modules.

## Fix
Install nvidia-modprobe, which loads the module and creates its node when a program starts, and run it once. In a container:
pass the device in.

## When this is not your problem
Your machine loads the module on demand.

## Sources
NVIDIA driver README, nvidia-modprobe; nvidia-container-toolkit lists /dev/nvidia-uvm among the devices of `compute`.
)md";

const snapshot::DeviceNode* FindNode(const snapshot::Driver& driver, const std::string& path) {
  for (const snapshot::DeviceNode& node : *driver.nodes) {
    if (node.path == path) return &node;
  }
  return nullptr;
}

constexpr const char* kPath = "/dev/nvidia-uvm";

void FireNoDevice(const Scene& scene, Ruling& ruling) {
  const std::string path = kPath;
  report::Finding& finding = ruling.Fire(path + " is not a device node but a plain file or directory", path);
  finding.evidence.push_back({path + " is not a device", path});
  finding.fix = {.text = "remove it and let nvidia-modprobe create the node",
                 .commands = {"sudo rm -r " + Word(path)},
                 .risk = report::Risk::kLow,
                 .changes = {report::RemoveFile{path}}};
  if (!InContainer(scene)) AddNodeMaker(scene, finding.fix);
  AddNodes(scene, finding.fix);
}

report::Fix PassIntoContainer(const Scene& scene, const snapshot::Driver& driver) {
  report::Fix fix{
      .text = "start the container through the NVIDIA runtime with the capability compute, or add the device",
      .commands = {"docker run --gpus all ...", "docker run --device /dev/nvidia-uvm ..."},
      .risk = report::Risk::kLow,
      .changes = {report::StartContainer{*driver.kernel_version}}};
  if (Circumstances(scene).container == "lxc") {
    fix.text = "create the node on the host before the container starts, and pass it in";
    fix.commands = {"sudo nvidia-modprobe -u -c=0   # on the host, at every boot",
                    "lxc.mount.entry = /dev/nvidia-uvm dev/nvidia-uvm none "
                    "bind,optional,create=file   # its configuration"};
  }
  return fix;
}

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::Driver* driver = KernelSide(scene, ruling);
  if (driver == nullptr) return;
  if (!driver->kernel_version) return ruling.NotApplicable();
  if (!driver->nodes) return ruling.NotEnoughFacts("device nodes", "/dev: " + driver->nodes.why);
  const std::string path = kPath;
  const snapshot::DeviceNode* node = FindNode(*driver, path);
  if (node != nullptr && !node->not_a_device) return;
  // If all nodes are missing, another rule reports that.
  if (FindNode(*driver, "/dev/nvidiactl") == nullptr) return;
  const bool container = InContainer(scene);
  if (container && FindDriverLibrary(*driver) == nullptr) return;  // started without the capability compute
  const std::string helper = container ? "" : ModprobeProblem(scene);
  const bool loaded = IsLoaded(*driver, "nvidia_uvm");
  if (!container && helper.empty() && node == nullptr) return;
  if (node != nullptr) return FireNoDevice(scene, ruling);
  report::Finding& finding = ruling.Fire(
      container ? path + " is missing in this container, though /dev/nvidiactl exists"
                : (loaded ? path + " is missing and " : "the module nvidia-uvm is not loaded and ") + helper,
      path);
  finding.evidence.push_back({path + " does not exist", "/dev"});
  if (driver->modules) {
    finding.evidence.push_back(
        {loaded ? "nvidia_uvm is loaded" : "nvidia_uvm is not loaded", driver->modules.source});
  }
  if (container) {
    finding.fix = PassIntoContainer(scene, *driver);
    return;
  }
  finding.evidence.push_back({helper, std::string(ModprobePath())});
  finding.fix = {
      .text =
          "load the module and create its node; from then on nvidia-modprobe does both when a program starts",
      .commands = {"sudo modprobe nvidia-uvm"},
      .risk = report::Risk::kLow,
      .changes = {}};
  AddNodeMaker(scene, finding.fix);
  AddNodes(scene, finding.fix);
}

}  // namespace

extern const Rule kRule = {.code = "CUL1016",
                           .name = "uvm_missing",
                           .family = Family::kDriver,
                           .cause = "driver-not-loaded",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "nvidia-uvm is missing and nothing will load it",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::uvm_missing
