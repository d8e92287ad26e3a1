// CUL9011: a call does not return.
#include "base/text.h"
#include "rules/kit/changes.h"
#include "rules/kit/live/probe_facts.h"
#include "rules/kit/live/probe_failures.h"
#include "rules/rule.h"

namespace culprit::rules::library_hangs {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A step did not finish in time.

## Why it breaks
If a driver lost its state or a device fell off the bus, calls block forever; so does a peer copy between devices
behind an IOMMU. A first start that compiles PTX for a new GPU looks the same and finishes after minutes.
## How culprit knows
culprit asks the child where it is before killing it.

## Fix
In the driver: look for Xid errors, then reset the device or reboot. In a library: use another version, or wait longer
with --timeout.

## When this is not your problem
A slow first start fills the cache of compiled kernels (~/.nv/ComputeCache).

## Sources
The stack of the child when its time ran out.
)md";

bool InDriver(const snapshot::ProbeStep& step) {
  const std::string_view file = base::BaseName(step.library);
  return JobOf(step.name) == snapshot::JobKind::kDriver || file.starts_with("libcuda.so") ||
         file.starts_with("libnvidia") || file == "nvcuda.dll" || file == "nvcuda64.dll";
}

void Check(const Scene& scene, Ruling& ruling) {
  if (Probed(scene, ruling) == nullptr) return;
  for (const ProbeFailure* failure : FailuresOf(scene, Trouble::kHang)) {
    const snapshot::ProbeStep& step = *failure->step;
    const std::string file(base::BaseName(step.library));
    report::Finding& finding =
        ruling.Fire(TitleOf(step) + " does not finish" + (file.empty() ? "" : ": it hangs in " + file),
                    !step.library.empty() ? step.library : SubjectOf(step), {TitleOf(step)});
    finding.cause = InDriver(step) ? "driver-wedged" : "library-bug";
    finding.affects.push_back(step.job.text());
    finding.evidence.push_back(EvidenceOf(step));
    AddOutput(step, finding);
    if (step.name == snapshot::StepName::kPeer) {
      finding.fix = {
          .text =
              "copies between devices hang behind an IOMMU: turn it off on the host or disable peer access",
          .commands =
              Commands(scene, {"export NCCL_P2P_DISABLE=1", "nvidia-smi topo -m"}, {"nvidia-smi topo -m"}),
          .risk = report::Risk::kLow,
          .changes = {}};
      if (!scene.OnWindows()) finding.fix.changes = {report::SetVariable{"NCCL_P2P_DISABLE", "1"}};
      finding.fix.changes.push_back(ANewProbeTells("copies between devices finish").front());
    } else {
      finding.fix = {
          .text =
              std::string(scene.OnWindows() ? "look for nvlddmkm events in the system log"
                                            : "look for Xid errors and processes in state D") +
              "; reset the device or reboot; a first start on a new GPU may only be slow: give it more time",
          .commands = Commands(
              scene,
              {"sudo dmesg | grep -i xid", "culprit probe --timeout 300", "sudo nvidia-smi --gpu-reset"},
              {"culprit probe --timeout 300"}),
          .risk = report::Risk::kMedium,
          .changes = ANewProbeTells("the call returns")};
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL9011",
                           .name = "library_hangs",
                           .family = Family::kLive,
                           .cause = "driver-wedged",
                           .severity = report::Severity::kError,
                           .since = "0.5.0",
                           .title = "a call into the driver or a library does not return",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::library_hangs
