// CUL8001: the toolkit that a build takes cannot compile for this GPU.
#include "base/version.h"
#include "knowledge/arch.h"
#include "rules/rule.h"
#include "rules/table.h"
#include "rules/toolkit_facts.h"

namespace culprit::rules {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The CUDA toolkit on this machine is too old for the GPU, or so new that it dropped it.

## Why it breaks
"nvcc fatal: Unsupported gpu architecture `compute_120`", or a program is built for older GPUs and does not start here.

## How culprit knows
The release of the toolkit that a build takes (CUDA_HOME, PATH, /usr/local/cuda) and the compute capability of the GPU,
against data/architectures.toml.

## Fix
Install a toolkit that compiles for it.

## When this is not your problem
Programs that are already built bring their own code. PTX of an older architecture can still be compiled by the driver.

## Sources
data/architectures.toml, each row with its source.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const BuildChoice chosen = ChosenToolkit(scene);
  if (!scene.stack().gpus || chosen.toolkit == nullptr || chosen.toolkit->nvcc.empty()) return;
  const snapshot::Toolkit& toolkit = *chosen.toolkit;
  const std::string release = Release(toolkit.nvcc_version.empty() ? toolkit.version : toolkit.nvcc_version);
  for (const snapshot::Gpu& gpu : *scene.stack().gpus) {
    const auto capability = base::Version::Parse(gpu.compute_capability);
    if (!capability || release.empty()) continue;
    const auto answer = knowledge::ToolkitTargets(release, *capability);
    if (answer.verdict != knowledge::Verdict::kNo) continue;
    const std::string name = gpu.name.empty() ? "this GPU" : gpu.name;
    report::Finding& finding = ruling.Fire(toolkit.nvcc + " (CUDA " + release + ") cannot compile for " +
                                               name + " (compute capability " + gpu.compute_capability + ")",
                                           toolkit.nvcc);
    finding.affects.push_back("builds");
    finding.evidence.push_back({answer.why, std::string(answer.source)});
    finding.evidence.push_back({"a build takes " + toolkit.root, chosen.because});
    finding.evidence.push_back({name + " has compute capability " + gpu.compute_capability,
                                gpu.source.empty() ? "--host" : gpu.source});
    finding.fix = {.text = "install a toolkit that compiles for compute capability " + gpu.compute_capability,
                   .commands = {},
                   .risk = "low"};
    if (const auto* row = knowledge::FindCapability(*capability)) {
      finding.fix.text += ": CUDA " + std::string(row->first_cuda) +
                          (row->last_cuda.empty() ? " or newer" : " to " + std::string(row->last_cuda));
    }
  }
}

}  // namespace

const Rule kNvccCannotTargetGpu = {.code = "CUL8001",
                                   .name = "nvcc_cannot_target_gpu",
                                   .cause = "arch-unsupported-by-compiler",
                                   .severity = report::Severity::kWarning,
                                   .since = "0.2.0",
                                   .title = "the toolkit that a build takes cannot compile for this GPU",
                                   .page = kPage,
                                   .check = Check};

}  // namespace culprit::rules
