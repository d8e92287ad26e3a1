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
A step did not end within its time.

## Why it breaks
A driver that lost its state or a device that fell off the bus lets calls wait for ever; so does a peer copy between devices behind
an IOMMU. A first start that compiles PTX for a new GPU looks the same and ends after minutes.

## How culprit knows
The child was asked where it is before it was ended.

## Fix
In the driver: look for Xid errors, then reset the device or reboot. In a library: another version; or wait longer with --timeout.

## When this is not your problem
A slow first start that fills the cache of compiled kernels (~/.nv/ComputeCache).

## Sources
The stack of the child when its time was over.
)md";

bool InDriver(const snapshot::ProbeStep& step) {
  const std::string_view file = base::BaseName(step.library);
  return JobKind(step) == "driver" || file.starts_with("libcuda.so") || file.starts_with("libnvidia") ||
         file == "nvcuda.dll" || file == "nvcuda64.dll";
}

void Check(const Scene& scene, Ruling& ruling) {
  if (Probed(scene, ruling) == nullptr) return;
  for (const ProbeFailure* failure : FailuresOf(scene, Trouble::kHang)) {
    const snapshot::ProbeStep& step = *failure->step;
    const std::string file(base::BaseName(step.library));
    report::Finding& finding = ruling.Fire((step.title.empty() ? step.name : step.title) + " does not end" +
                                               (file.empty() ? "" : ": it hangs in " + file),
                                           !step.library.empty()  ? step.library
                                           : step.subject.empty() ? step.job
                                                                  : step.subject);
    finding.cause = InDriver(step) ? "driver-wedged" : "library-bug";
    finding.affects.push_back(step.job);
    finding.evidence.push_back(EvidenceOf(step));
    AddOutput(step, finding);
    if (step.name == "peer") {
      finding.fix = {
          .text =
              "copies between devices hang behind an IOMMU: turn it off for the host or forbid peer access",
          .commands =
              Commands(scene, {"export NCCL_P2P_DISABLE=1", "nvidia-smi topo -m"}, {"nvidia-smi topo -m"}),
          .risk = "low",
          .changes = {}};
      if (!scene.OnWindows()) finding.fix.changes = {report::SetVariable{"NCCL_P2P_DISABLE", "1"}};
      finding.fix.changes.push_back(ANewProbeTells("copies between devices end").front());
    } else {
      finding.fix = {
          .text =
              std::string(scene.OnWindows() ? "look for events of nvlddmkm in the system log"
                                            : "look for Xid errors and processes in state D") +
              "; reset the device or reboot; a first start on a new GPU may only be slow: give it more time",
          .commands = Commands(
              scene,
              {"sudo dmesg | grep -i xid", "culprit probe --timeout 300", "sudo nvidia-smi --gpu-reset"},
              {"culprit probe --timeout 300"}),
          .risk = "medium",
          .changes = ANewProbeTells("the call returns")};
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL9011",
                           .name = "library_hangs",
                           .cause = "driver-wedged",
                           .severity = report::Severity::kError,
                           .since = "0.5.0",
                           .title = "a call into the driver or a library does not return",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::library_hangs
