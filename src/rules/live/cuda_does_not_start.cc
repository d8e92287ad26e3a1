// CUL9004: CUDA does not start although everything that can be seen looks right.
#include <array>

#include "knowledge/messages/status_codes.h"
#include "rules/kit/changes.h"
#include "rules/kit/live/probe_facts.h"
#include "rules/kit/live/probe_failures.h"
#include "rules/rule.h"

namespace culprit::rules::cuda_does_not_start {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
cuInit, the count of devices or the first context fails, and no other rule found a reason in the files of the machine.

## Why it breaks
The number tells more than its text: 999 is mostly a driver that lost its state (suspend, an update without a reboot, a broken
nvidia-uvm), 802 a fabric manager that is not running or not ready on a machine with NVSwitch, 803 libraries and kernel
module of two versions, 804 a compat libcuda on a GPU that does not allow it, 3 a driver that shuts down or an MPS server
that is gone, 46 a device that another process holds exclusively.

## How culprit knows
culprit-probe called cuInit in a child of its own.

## Fix
By the number; see `culprit explain cuda:NUMBER`.

## When this is not your problem
Never: no CUDA program works then.

## Sources
CUDA driver API, CUresult; the knowledge of `culprit explain`, data/status_codes.toml.
)md";

struct Known {
  int32_t code;
  std::string_view cause;
  std::string_view says;
  std::string_view fix;
  std::array<std::string_view, 3> commands;
};
constexpr std::array kKnown = {
    Known{3,
          "driver-not-loaded",
          "the driver is not ready: an MPS server that is gone, or a module that is just being unloaded",
          "end a stale MPS server and unset its variables, or reload the module",
          {"echo quit | nvidia-cuda-mps-control", "unset CUDA_MPS_PIPE_DIRECTORY", ""}},
    Known{34,
          "search-path",
          "the libcuda that was loaded is a stub for linking",
          "take the directory of the stub out of LD_LIBRARY_PATH and of ld.so.conf",
          {"culprit why libcuda.so.1", "", ""}},
    Known{35,
          "driver-too-old",
          "the driver is older than what asks for it",
          "install a newer driver",
          {"nvidia-smi", "", ""}},
    Known{46,
          "gpu-not-visible",
          "another process has the device for itself, or it is being reset",
          "end that process, or set the compute mode back to default",
          {"nvidia-smi", "sudo nvidia-smi -c DEFAULT", ""}},
    Known{100,
          "gpu-not-visible",
          "the driver finds no device that this process may use",
          "look at the device nodes, their permissions and what the kernel module says",
          {"ls -l /dev/nvidia*", "sudo dmesg | grep -i nvrm", ""}},
    Known{101,
          "gpu-not-visible",
          "a device was named that is not there",
          "check CUDA_VISIBLE_DEVICES and --device",
          {"nvidia-smi -L", "", ""}},
    Known{304,
          "permissions",
          "the operating system refused a call of the driver",
          "look what the sandbox, seccomp profile or cgroup forbids",
          {"sudo dmesg | tail -50", "", ""}},
    Known{802,
          "driver-not-loaded",
          "the fabric of the NVSwitch machine is not ready",
          "start the fabric manager of the same version as the driver and wait until nvidia-smi says that "
          "the fabric is completed",
          {"sudo systemctl restart nvidia-fabricmanager", "nvidia-smi -q | grep -A2 -i fabric", ""}},
    Known{803,
          "driver-library-mismatch",
          "libcuda and the loaded kernel module are of two versions",
          "reboot, or reload the module of the installed driver",
          {"cat /proc/driver/nvidia/version", "culprit why libcuda.so.1", "sudo reboot"}},
    Known{804,
          "driver-library-mismatch",
          "a compat libcuda was loaded, and this GPU does not allow it",
          "take the compat directory out of the search path, or install a newer driver",
          {"culprit why libcuda.so.1", "", ""}},
    Known{999,
          "driver-wedged",
          "the driver lost its state: after suspend, an update without a reboot, or in nvidia-uvm",
          "reload nvidia-uvm; reboot if that does not help",
          {"sudo rmmod nvidia_uvm", "sudo modprobe nvidia_uvm", "sudo reboot"}},
};

// Those of the table are of Linux.
const std::vector<std::string> kOnWindows = {"nvidia-smi", "culprit why nvcuda.dll", "shutdown /r /t 0"};

// What of a fix files and variables show; whether CUDA starts then is for the next probe to tell.
Changes Seen(const Scene& scene, int32_t code) {
  Changes changes;
  if (code == 3 && scene.IsSet("CUDA_MPS_PIPE_DIRECTORY"))
    changes.push_back(report::UnsetVariable{"CUDA_MPS_PIPE_DIRECTORY"});
  if (code == 802 && !scene.OnWindows()) changes.push_back(report::StartProcess{"nvidia-fabricmanager"});
  changes.push_back(ANewProbeTells("CUDA starts").front());
  return changes;
}

void Complete(const Scene& scene, const snapshot::ProbeStep& step, report::Finding& finding) {
  if (step.status == "no-such-device") {
    finding.cause = "gpu-not-visible";
    finding.summary = "the device that was asked for is not there: " + step.detail;
    finding.fix = {.text = "name a device that CUDA shows in this shell",
                   .commands = {"nvidia-smi -L", "culprit probe"},
                   .risk = "none",
                   .changes = ANewProbeTells("a device that is there is asked for")};
    return;
  }
  const auto code = CudaCode(step);
  for (const Known& known : kKnown) {
    if (code != known.code) continue;
    finding.cause = known.cause;
    finding.summary += ": " + std::string(known.says);
    finding.fix = {
        .text = std::string(known.fix), .commands = {}, .risk = "low", .changes = Seen(scene, known.code)};
    for (const std::string_view command : known.commands) {
      if (!command.empty()) finding.fix.commands.emplace_back(command);
    }
    if (scene.OnWindows()) finding.fix.commands = kOnWindows;
    return;
  }
  const knowledge::CudaStatus* row = code ? knowledge::FindCudaStatus(*code) : nullptr;
  if (row != nullptr && !row->causes.empty()) {
    finding.cause = row->causes.front();
    finding.evidence.push_back(
        {std::string(row->meaning), "culprit explain " + std::string(row->driver_name)});
  }
  finding.fix = {.text = "look at what the kernel module says; reboot if it lost its state",
                 .commands = Commands(scene, {"sudo dmesg | grep -iE 'nvrm|xid'", "sudo reboot"}, kOnWindows),
                 .risk = "medium",
                 .changes = ANewProbeTells("the driver has its state back")};
}

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::ProbeFacts* facts = Probed(scene, ruling);
  if (facts == nullptr) return;
  report::Finding* finding = nullptr;
  for (const ProbeFailure* failure : FailuresOf(scene, Trouble::kCudaDoesNotStart)) {
    const snapshot::ProbeStep& step = *failure->step;
    if (finding == nullptr) {
      finding = &ruling.Fire("CUDA does not start, " + (step.call.empty() ? step.name : step.call) +
                                 " says " + (step.status.empty() ? step.outcome : step.status),
                             step.call.empty() ? "cuInit" : step.call);
      Complete(scene, step, *finding);
    }
    finding->evidence.push_back(EvidenceOf(step));
    AddOutput(step, *finding);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL9004",
                           .name = "cuda_does_not_start",
                           .cause = "driver-wedged",
                           .severity = report::Severity::kError,
                           .since = "0.5.0",
                           .title = "cuInit fails although driver, module and nodes look right",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cuda_does_not_start
