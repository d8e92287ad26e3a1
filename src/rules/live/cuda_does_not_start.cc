// CUL9004: CUDA does not start, although everything visible looks right.
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
cuInit, the device count or the first context fails, and no other rule found a reason in the machine's files.

## Why it breaks
The number says more than its text: 999 is usually a driver that lost its state (suspend, an update without a reboot, a
broken nvidia-uvm), 802 a fabric manager that is not running or not ready on a machine with NVSwitch, 803 libraries and
kernel module of different versions, 804 a compat libcuda on a GPU that does not support it, 3 a driver in a
broken state or CUDA used after fork(), 46 a device that another process holds exclusively.

## How culprit knows
culprit-probe called cuInit in a separate child process.

## Fix
It depends on the number; see `culprit explain cuda:NUMBER`.

## When this is not your problem
Never: no CUDA program works in this state.

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
          "the driver is not ready: the MPS server is gone, or the kernel module is being unloaded",
          "stop a stale MPS server and unset its variables, or reload the module",
          {"echo quit | nvidia-cuda-mps-control", "unset CUDA_MPS_PIPE_DIRECTORY", ""}},
    Known{34,
          "search-path",
          "the loaded libcuda is a stub for linking",
          "remove the stub's directory from LD_LIBRARY_PATH and ld.so.conf",
          {"culprit why libcuda.so.1", "", ""}},
    Known{35,
          "driver-too-old",
          "the driver is older than the program requires",
          "install a newer driver",
          {"nvidia-smi", "", ""}},
    Known{46,
          "gpu-not-visible",
          "another process uses the device exclusively, or it is being reset",
          "stop that process, or set the compute mode back to default",
          {"nvidia-smi", "sudo nvidia-smi -c DEFAULT", ""}},
    Known{100,
          "gpu-not-visible",
          "the driver finds no device that this process can use",
          "check the device nodes, their permissions and the kernel log",
          {"ls -l /dev/nvidia*", "sudo dmesg | grep -i nvrm", ""}},
    Known{101,
          "gpu-not-visible",
          "the selected device does not exist",
          "check CUDA_VISIBLE_DEVICES and --device",
          {"nvidia-smi -L", "", ""}},
    Known{304,
          "permissions",
          "the operating system refused a driver call",
          "check what the sandbox, seccomp profile or cgroup forbids",
          {"sudo dmesg | tail -50", "", ""}},
    Known{802,
          "driver-not-loaded",
          "the NVSwitch fabric is not ready",
          "start the fabric manager of the same version as the driver and wait until nvidia-smi reports the "
          "fabric as completed",
          {"sudo systemctl restart nvidia-fabricmanager", "nvidia-smi -q | grep -A2 -i fabric", ""}},
    Known{803,
          "driver-library-mismatch",
          "libcuda and the loaded kernel module have different versions",
          "reboot, or reload the module of the installed driver",
          {"cat /proc/driver/nvidia/version", "culprit why libcuda.so.1", "sudo reboot"}},
    Known{804,
          "driver-library-mismatch",
          "a compat libcuda was loaded, and this GPU does not support it",
          "remove the compat directory from the search path, or install a newer driver",
          {"culprit why libcuda.so.1", "", ""}},
    Known{999,
          "driver-wedged",
          "the driver lost its state: after suspend, an update without a reboot, or in nvidia-uvm",
          "reload nvidia-uvm; reboot if that does not help",
          {"sudo rmmod nvidia_uvm", "sudo modprobe nvidia_uvm", "sudo reboot"}},
};

// The commands in the table are for Linux.
std::vector<Command> OnWindows() { return {"nvidia-smi", "culprit why nvcuda.dll", "shutdown /r /t 0"}; }

// The part of a fix that files and variables show; only the next probe shows whether CUDA starts.
Changes Seen(const Scene& scene, int32_t code) {
  Changes changes;
  if (code == 3 && scene.IsSet("CUDA_MPS_PIPE_DIRECTORY"))
    changes.push_back(report::UnsetVariable{"CUDA_MPS_PIPE_DIRECTORY"});
  if (code == 802 && !scene.OnWindows()) changes.push_back(report::StartProcess{"nvidia-fabricmanager"});
  changes.push_back(ANewProbeTells("CUDA starts").front());
  return changes;
}

void Complete(const Scene& scene, const snapshot::ProbeStep& step, report::Finding& finding) {
  if (step.status == base::OwnStatus::kNoSuchDevice) {
    finding.cause = "gpu-not-visible";
    finding.summary = "the requested device does not exist: " + step.detail;
    finding.fix = {.text = "choose a device that CUDA shows in this shell",
                   .commands = {"nvidia-smi -L", "culprit probe"},
                   .risk = report::Risk::kNone,
                   .changes = ANewProbeTells("an existing device is requested")};
    return;
  }
  const auto code = CudaCode(step);
  for (const Known& known : kKnown) {
    if (code != known.code) continue;
    finding.cause = known.cause;
    finding.summary += ": " + std::string(known.says);
    finding.fix = {.text = std::string(known.fix),
                   .commands = {},
                   .risk = report::Risk::kLow,
                   .changes = Seen(scene, known.code)};
    for (const std::string_view command : known.commands) {
      if (!command.empty()) finding.fix.commands.push_back(report::FromTable(command));
    }
    if (scene.OnWindows()) finding.fix.commands = OnWindows();
    return;
  }
  const knowledge::CudaStatus* row = code ? knowledge::FindCudaStatus(*code) : nullptr;
  if (row != nullptr && !row->causes.empty()) {
    finding.cause = row->causes.front();
    finding.evidence.push_back(
        {std::string(row->meaning), "culprit explain " + std::string(row->driver_name)});
  }
  finding.fix = {
      .text = "check the kernel log; reboot if the driver lost its state",
      .commands = Commands(scene, {"sudo dmesg | grep -iE 'nvrm|xid'", "sudo reboot"}, OnWindows()),
      .risk = report::Risk::kMedium,
      .changes = ANewProbeTells("the driver works again")};
}

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::ProbeFacts* facts = Probed(scene, ruling);
  if (facts == nullptr) return;
  report::Finding* finding = nullptr;
  for (const ProbeFailure* failure : FailuresOf(scene, Trouble::kCudaDoesNotStart)) {
    const snapshot::ProbeStep& step = *failure->step;
    if (finding == nullptr) {
      finding = &ruling.Fire(
          "CUDA does not start, " + (step.call.empty() ? std::string(base::Word(step.name)) : step.call) +
              " returns " +
              (step.status.empty() ? std::string(base::Word(step.outcome)) : step.status.text()),
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
                           .family = Family::kLive,
                           .cause = "driver-wedged",
                           .severity = report::Severity::kError,
                           .since = "0.5.0",
                           .title = "cuInit fails although driver, kernel module and device nodes look right",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cuda_does_not_start
