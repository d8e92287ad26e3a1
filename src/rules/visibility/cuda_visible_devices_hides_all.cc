// CUL2001: CUDA_VISIBLE_DEVICES hides every GPU.
#include "base/text.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/kit/hidden_devices.h"
#include "rules/kit/live/probe_facts.h"
#include "rules/kit/load_facts.h"
#include "rules/rule.h"

namespace culprit::rules::cuda_visible_devices_hides_all {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
CUDA_VISIBLE_DEVICES is set to a value that hides all GPUs: empty, -1, or a word such as none.

## Why it breaks
CUDA shows a process only the devices that the variable lists. An empty list shows none: "no CUDA-capable device is detected"
(100), `torch.cuda.is_available()` is False. nvidia-smi ignores the variable and looks healthy.

## How culprit knows
The variable in this shell. If it is set but empty, it hides all GPUs; if it is unset, it hides none.

## Fix
Unset it. Find what sets it: a shell profile, a batch system, a service file, a notebook.

## When this is not your problem
You hide the GPUs on purpose (a run on the CPU).

## Sources
CUDA C++ Programming Guide, CUDA environment variables.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const std::string name = "CUDA_VISIBLE_DEVICES";
  if (!scene.IsSet(name)) return ruling.NotApplicable();
  const auto& gpus = scene.stack().gpus;
  const bool none = gpus && gpus->empty();
  if (none || !Circumstances(scene).slurm_job.empty()) return ruling.NotApplicable();
  const std::string value(scene.Variable(name));
  if (!HidesOnPurpose(value)) return;
  const std::string trimmed(base::Trim(value));
  report::Finding& finding =
      ruling.Fire("CUDA_VISIBLE_DEVICES is " + (trimmed.empty() ? "set but empty" : "\"" + trimmed + "\"") +
                      ": CUDA sees no GPU in this shell",
                  name);
  for (const loader::Scenario& scenario : scene.scenarios) {
    if (scenario.kind != loader::Scenario::Kind::kProgram || !HoldsGpuCode(scene, scenario)) continue;
    finding.severity = report::Severity::kError;  // nobody checks a program for the GPU to run it without
    finding.affects.push_back(scenario.title);
  }
  finding.evidence.push_back({name + "=" + value, "environment"});
  if (gpus) finding.evidence.push_back({NameOf(gpus->front()), gpus->front().source});
  finding.fix = {.text = "unset it, unless you hide the GPUs on purpose",
                 .commands = Commands(scene, {"unset CUDA_VISIBLE_DEVICES"}, {"set CUDA_VISIBLE_DEVICES="}),
                 .risk = report::Risk::kNone,
                 .changes = {report::UnsetVariable{name}}};
}

}  // namespace

extern const Rule kRule = {.code = "CUL2001",
                           .name = "cuda_visible_devices_hides_all",
                           .family = Family::kVisibility,
                           .cause = "gpu-not-visible",
                           .severity = report::Severity::kWarning,
                           .since = "0.2.0",
                           .title = "CUDA_VISIBLE_DEVICES hides every GPU",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cuda_visible_devices_hides_all
