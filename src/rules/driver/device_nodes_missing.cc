// CUL1017: /dev/nvidia* is missing on a machine with a loaded driver.
#include "rules/kit/driver/device_nodes.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::device_nodes_missing {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The kernel module is loaded, but /dev/nvidiactl or the GPU device nodes are missing, and nothing will create them.

## Why it breaks
Programs reach the driver through these nodes: cudaErrorNoDevice, "Failed to initialize NVML".

## How culprit knows
culprit lists /dev. libcuda creates missing nodes with the setuid program nvidia-modprobe. The rule fires only if that program
is missing or the module's parameter ModifyDeviceFiles is 0.

## Fix
Install nvidia-modprobe and run it as root, or let udev or nvidia-persistenced create the nodes at boot. nvidia-modprobe obeys
ModifyDeviceFiles; if that is 0, create them with mknod (major number 195).

## When this is not your problem
You are in a container: there the runtime provides the nodes, see CUL2004.

## Sources
NVIDIA driver README, "How and why do the NVIDIA device files get created?".
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::Driver* driver = KernelSide(scene, ruling);
  if (driver == nullptr) return;
  if (!driver->kernel_version || InContainer(scene)) return ruling.NotApplicable();
  if (!driver->nodes) return ruling.NotEnoughFacts("device nodes", "/dev: " + driver->nodes.why);
  bool control = false, gpu = false;
  for (const snapshot::DeviceNode& node : *driver->nodes) {
    control |= node.path == "/dev/nvidiactl" && !node.not_a_device;
    gpu |= IsGpuNode(node) && !node.not_a_device;
  }
  if (control && gpu) return;
  const auto modify = driver->parameters.find("ModifyDeviceFiles");
  const bool left_to_others = modify != driver->parameters.end() && modify->second == "0";
  const std::string helper = ModprobeProblem(scene);
  if (helper.empty() && !left_to_others) return;  // created when a program starts
  const std::string missing = control ? "/dev/nvidia0" : "/dev/nvidiactl";
  report::Finding& finding =
      ruling.Fire("the kernel module " + *driver->kernel_version + " is loaded, but " + missing +
                      " is missing and " + (left_to_others ? "its parameter ModifyDeviceFiles is 0" : helper),
                  missing);
  finding.evidence.push_back(ModuleEvidence(*driver));
  finding.evidence.push_back({missing + " does not exist", "/dev"});
  finding.evidence.push_back(left_to_others
                                 ? report::Evidence{"ModifyDeviceFiles: 0", "/proc/driver/nvidia/params"}
                                 : report::Evidence{helper, std::string(ModprobePath())});
  finding.fix = {.text = "create the nodes, and let nvidia-persistenced or a udev rule do it at boot",
                 .commands = {},
                 .risk = report::Risk::kLow,
                 .changes = {}};
  if (left_to_others) {  // nvidia-modprobe obeys the parameter; the device numbers are fixed
    finding.fix.commands = {"sudo mknod -m 666 /dev/nvidiactl c 195 255",
                            "sudo mknod -m 666 /dev/nvidia0 c 195 0"};
    finding.fix.changes = {report::PutDevice{.path = "/dev/nvidiactl"},
                           report::PutDevice{.path = "/dev/nvidia0"}};
    return;
  }
  AddNodeMaker(scene, finding.fix);
  AddNodes(scene, finding.fix);
}

}  // namespace

extern const Rule kRule = {.code = "CUL1017",
                           .name = "device_nodes_missing",
                           .family = Family::kDriver,
                           .cause = "driver-not-loaded",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "the driver's device nodes are missing",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::device_nodes_missing
