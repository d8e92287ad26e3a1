// CUL3012: the cuDNN that is loaded does not serve this GPU.
#include <algorithm>
#include <optional>

#include "base/text.h"
#include "base/version.h"
#include "knowledge/cudnn.h"
#include "rules/kit/cudnn/cudnn_facts.h"
#include "rules/kit/cudnn/cudnn_fixes.h"
#include "rules/kit/file_fixes.h"
#include "rules/kit/load_fixes.h"
#include "rules/rule.h"

namespace culprit::rules::cudnn_dropped_gpu {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A release of cuDNN serves GPUs from a certain compute capability on. The one that a process loads no longer serves a GPU
of this machine, or does not yet.

## Why it breaks
cuDNN refuses at the first call (CUDNN_STATUS_ARCH_MISMATCH, "cuDNN version 91100 is not compatible with devices with SM
< 7.5"), or finds no engine for any convolution.

## How culprit knows
The release that wins in the process, the CUDA that it was made for, and the compute capability of the GPU, against
the support matrix in data/cudnn.toml.

## Fix
Take the last release that served the GPU, for the same CUDA, or hide the GPU from the process.

## When this is not your problem
Where another GPU of the machine does the work, this is a warning.

## Sources
data/cudnn.toml, each row with its source.
)md";

// The last release that serves the GPU, where one is known and was built for this CUDA.
CudnnChoice LastFor(const base::Version& capability, const std::optional<base::Version>& cuda) {
  CudnnChoice choice;
  for (const knowledge::CudnnLastForCapability& last : knowledge::CudnnLastForCapabilities()) {
    const auto version = base::Version::Parse(last.cudnn);
    if (base::Version::Parse(last.cc) != capability || !version) continue;
    const auto releases = knowledge::FindCudnn(*version);
    choice = {.version = std::string(last.cudnn),
              .build = std::string(releases.empty() ? std::string_view() : releases.back()->build),
              .cuda = cuda ? std::to_string(cuda->part(0)) : "",
              .newest = false};
  }
  return choice;
}

report::Fix Repair(const Scene& scene, const loader::Scenario& scenario, const std::string& loaded,
                   const std::optional<base::Version>& cuda, const base::Version& capability) {
  const CudnnChoice last = LastFor(capability, cuda);
  const std::string text = last.version.empty() ? "take a release of cuDNN that serves this GPU"
                                                : "take cuDNN " + last.version +
                                                      ", the last that serves this GPU, or an older one";
  const auto release = base::Version::Parse(last.version);
  const bool built =
      release && (!cuda || knowledge::CudnnForCuda(*release, *cuda).verdict != knowledge::Verdict::kNo);
  if (!built) {
    return {.text = text + (release ? "; it was not built for CUDA " + last.cuda +
                                          ": take a build of the framework for an older CUDA"
                                    : ""),
            .commands = {"culprit plan --repair"},
            .risk = "medium",
            .changes = {report::NotInFiles{"another cuDNN, and what is built for it",
                                           "which set of versions serves this GPU: culprit plan"}}};
  }
  const auto* environment = scene.EnvironmentOf(scenario);
  const bool own = environment != nullptr && !environment->interpreter.empty() && !last.build.empty() &&
                   !last.cuda.empty() && loaded.starts_with(environment->prefix + "/");
  report::Fix fix = own ? ReinstallPackage(scene, *environment, "nvidia-cudnn-cu" + last.cuda, last.build, "")
                        : InstallForAll(scene, last, std::string(base::DirName(PlaceOf(scene, loaded))));
  fix.text = text;
  fix.risk = "medium";
  return fix;
}

void Check(const Scene& scene, Ruling& ruling) {
  if (!scene.stack().gpus) return;
  for (const loader::Scenario& scenario : scene.scenarios) {
    const auto loaded = OneCudnnOf(scene, scenario);
    if (!loaded) continue;
    const snapshot::CudnnCopy* copy = CopyOf(scene, loaded->object->path);
    const auto cuda = base::Version::Parse(copy == nullptr ? "" : copy->cuda);
    const bool other_gpu = std::ranges::any_of(*scene.stack().gpus, [&](const snapshot::Gpu& gpu) {
      const auto capability = base::Version::Parse(gpu.compute_capability);
      return capability &&
             knowledge::CudnnForGpu(*loaded->version, cuda.value_or(base::Version{{0}}), *capability)
                     .verdict == knowledge::Verdict::kYes;
    });
    for (const snapshot::Gpu& gpu : *scene.stack().gpus) {
      const auto capability = base::Version::Parse(gpu.compute_capability);
      if (!capability) continue;
      const auto answer =
          knowledge::CudnnForGpu(*loaded->version, cuda.value_or(base::Version{{0}}), *capability);
      if (answer.verdict != knowledge::Verdict::kNo) continue;
      const std::string name = gpu.name.empty() ? "the GPU" : gpu.name;
      report::Finding& finding = ruling.Fire(
          "cuDNN " + loaded->version->ToString() + " in " + std::string(base::DirName(loaded->object->path)) +
              " does not serve " + name + " (compute capability " + gpu.compute_capability + ")",
          loaded->object->path);
      if (other_gpu) finding.severity = report::Severity::kWarning;
      finding.affects.push_back(scenario.title);
      finding.evidence.push_back({answer.why, std::string(answer.source)});
      finding.evidence.push_back(
          {loaded->object->path + " is " + loaded->version->ToString(), loaded->source});
      finding.evidence.push_back({name + " has compute capability " + gpu.compute_capability,
                                  gpu.source.empty() ? "--host" : gpu.source});
      finding.fix = Repair(scene, scenario, loaded->object->path, cuda, *capability);
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL3012",
                           .name = "cudnn_dropped_gpu",
                           .cause = "arch-unsupported",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "the cuDNN that is loaded does not serve this GPU",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cudnn_dropped_gpu
