// CUL1018: the device nodes exist, but this user may not open them.
#include "rules/kit/driver/device_nodes.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::device_not_permitted {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
This user may not open /dev/nvidiactl, /dev/nvidia-uvm or a GPU's node for reading and writing.

## Why it breaks
A process that may not open the nodes sees no GPU: cudaErrorNoDevice, or "Insufficient Permissions" from nvidia-smi. As root it
works.

## How culprit knows
From the permission bits and the group of each node, checked with faccessat for this user. No node is opened.
## Fix
Join the group that owns the nodes and log in again, or let the module create them with access for everyone
(NVreg_DeviceFileMode). Do not run everything with sudo.

## When this is not your problem
A batch system gives the nodes only to jobs that requested a GPU.

## Sources
NVIDIA driver README, NVreg_DeviceFileUID, GID and Mode; access(2).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const auto& fact = scene.stack().driver;
  if (!fact || fact->assumed) return ruling.NotApplicable();
  const snapshot::Driver& driver = *fact;
  if (driver.nodes.state == snapshot::FactState::kNotApplicable) return ruling.NotApplicable();
  if (!driver.nodes) return ruling.NotEnoughFacts("device nodes", "/dev: " + driver.nodes.why);
  std::vector<const snapshot::DeviceNode*> denied;
  size_t gpus = 0, denied_gpus = 0;
  bool essential = false;
  for (const snapshot::DeviceNode& node : *driver.nodes) {
    const bool gpu = IsGpuNode(node);
    const bool needed =
        node.path == "/dev/nvidiactl" || node.path == "/dev/nvidia-uvm" || node.path == "/dev/dxg";
    if (gpu) ++gpus;
    if (!node.denied || node.not_a_device || (!gpu && !needed)) continue;
    denied.push_back(&node);
    if (gpu) ++denied_gpus;
    essential |= needed;
  }
  if (denied.empty()) return;
  const snapshot::DeviceNode& first = *denied.front();
  report::Finding& finding =
      ruling.Fire("this user may not open " + first.path +
                      (denied.size() > 1 ? " and " + std::to_string(denied.size() - 1) + " more" : ""),
                  first.path);
  if (!essential && denied_gpus < gpus) finding.severity = report::Severity::kWarning;
  Command nodes;
  for (const snapshot::DeviceNode* node : denied) {
    nodes += " " + Word(node->path);
    std::string mode;
    for (int shift = 6; shift >= 0; shift -= 3) mode += static_cast<char>('0' + ((node->mode >> shift) & 7));
    finding.evidence.push_back({"mode " + mode + ", group " + node->group, node->path});
  }
  const bool by_group = (first.mode & 060) == 060 && first.group != "root" && first.group != "0";
  if (by_group) {
    finding.fix = {
        .text = "join the group " + first.group + " and log in again; do not run everything with sudo",
        .commands = {"sudo usermod -aG " + Word(first.group) + " $USER"},
        .risk = report::Risk::kLow,
        .changes = {report::NotInFiles{"this user in the group " + first.group,
                                       "it takes effect at the next login"}}};
  } else {
    finding.fix = {.text =
                       "let the driver create its nodes with access for everyone (the default), then reload "
                       "the module or reboot",
                   .commands = {"grep -rn NVreg_DeviceFile /etc/modprobe.d",
                                "sudo chmod 666" + nodes + "   # until the next reboot"},
                   .risk = report::Risk::kLow,
                   .changes = {}};
    for (const snapshot::DeviceNode* node : denied)
      finding.fix.changes.push_back(report::SetMode{node->path, 0666});
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL1018",
                           .name = "device_not_permitted",
                           .family = Family::kDriver,
                           .cause = "gpu-not-visible",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "this user may not open the GPU's device nodes",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::device_not_permitted
