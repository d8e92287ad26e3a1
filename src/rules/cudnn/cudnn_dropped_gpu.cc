// CUL3012: the loaded cuDNN does not support this GPU.
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
Each cuDNN release supports a range of compute capabilities. The one that a process loads no longer supports a GPU of this
machine, or does not support it yet.

## Why it breaks
cuDNN fails at the first call (CUDNN_STATUS_ARCH_MISMATCH, "cuDNN version 91100 is not compatible with devices with SM
< 7.5"), or finds no engine for any convolution.

## How culprit knows
culprit looks up the release that the process loads, the CUDA it was built for, and the GPU's compute capability in the
support matrix in data/cudnn.toml.

## Fix
Install the last release that supports the GPU, for the same CUDA, or hide the GPU from the process.

## When this is not your problem
You use another GPU of this machine: then this is only a warning.

## Sources
data/cudnn.toml, each row with its source.
)md";

// The last release that supports the GPU; empty if none is known.
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
  const std::string text = last.version.empty() ? "install a cuDNN release that supports this GPU"
                                                : "install cuDNN " + last.version +
                                                      ", the last that supports this GPU, or an older one";
  const auto release = base::Version::Parse(last.version);
  const bool built =
      release && (!cuda || knowledge::CudnnForCuda(*release, *cuda).verdict != knowledge::Verdict::kNo);
  if (!built) {
    return {.text = text + (release ? "; it was not built for CUDA " + last.cuda +
                                          ": install a build of the framework for an older CUDA"
                                    : ""),
            .commands = {"culprit plan --repair"},
            .risk = report::Risk::kMedium,
            .changes = {report::NotInFiles{"another cuDNN, and packages built for it",
                                           "culprit plan finds versions that support this GPU"}}};
  }
  const auto* environment = scene.EnvironmentOf(scenario);
  const bool own = environment != nullptr && !environment->interpreter.empty() && !last.build.empty() &&
                   !last.cuda.empty() && loaded.starts_with(environment->prefix + "/");
  report::Fix fix = own ? ReinstallPackage(*environment, "nvidia-cudnn-cu" + last.cuda, last.build, "")
                        : InstallForAll(scene, last, std::string(base::DirName(PlaceOf(scene, loaded))));
  fix.text = text;
  fix.risk = report::Risk::kMedium;
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
              " does not support " + name + " (compute capability " + gpu.compute_capability + ")",
          loaded->object->path, {name, gpu.compute_capability});
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
                           .family = Family::kCudnn,
                           .cause = "arch-unsupported",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "the loaded cuDNN does not support this GPU",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cudnn_dropped_gpu
