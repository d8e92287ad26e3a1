// CUL9005: a process loaded cuDNN sub-libraries of different versions.
#include <algorithm>

#include "base/text.h"
#include "rules/kit/changes.h"
#include "rules/kit/live/probe_facts.h"
#include "rules/kit/live/probe_failures.h"
#include "rules/kit/load_facts.h"
#include "rules/rule.h"

namespace culprit::rules::cudnn_loaded_mixed {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The running process has loaded files of two cuDNN releases.

## Why it breaks
The sub-libraries call each other through private interfaces and check each other's version:
CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH, CUDNN_STATUS_NOT_INITIALIZED, or a crash at the first convolution.

## How culprit knows
culprit-probe lists the files that its own process has loaded, and reads the version from each. CUL3004 finds the same
without running anything; where it fires, this rule stays silent.

## Fix
Load all sub-libraries from one directory. Usually LD_LIBRARY_PATH is to blame.

## When this is not your problem
Two copies on one machine are normal; they are reported only if one process loads both.

## Sources
The process's own list of loaded files; ld.so(8).
)md";

bool IsCudnn(const snapshot::ProbedLibrary& library) {
  return library.name.starts_with("libcudnn") || library.name.starts_with("cudnn");
}

// Every cuDNN file of a job, in load order.
std::vector<snapshot::ProbedLibrary> CudnnOf(const snapshot::ProbeFacts& facts,
                                             const snapshot::ProbeJob& job) {
  std::vector<snapshot::ProbedLibrary> files;
  for (const snapshot::ProbeStep& step : facts.steps) {
    if (step.job != job) continue;
    std::ranges::copy_if(step.libraries, std::back_inserter(files), IsCudnn);
  }
  return files;
}

void CheckJob(const Scene& scene, const ProbeFailure& failure, Ruling& ruling) {
  const snapshot::ProbeStep& step = *failure.step;
  const auto files = CudnnOf(*scene.stack().probe, step.job);
  const snapshot::ProbedLibrary* odd = nullptr;
  for (const auto& file : files) {
    if (odd == nullptr && !file.version.empty() && file.version != files.front().version) odd = &file;
  }
  std::string summary = "cuDNN reports sub-libraries of different versions: " + Said(step);
  if (odd != nullptr) {
    summary = odd->name + " " + odd->version + " was loaded from " + std::string(base::DirName(odd->path)) +
              ", " + files.front().name + " " + files.front().version + " from " +
              std::string(base::DirName(files.front().path));
  }
  report::Finding& finding = ruling.Fire(summary, odd != nullptr ? odd->path : SubjectOf(step),
                                         odd != nullptr ? std::vector{files.front().path} : TellingOf(step));
  finding.affects.push_back(step.job.text());
  for (const auto& file : files) {
    finding.evidence.push_back(
        {file.name + " is " + (file.version.empty() ? "of unknown version" : file.version), file.path});
  }
  finding.evidence.push_back(EvidenceOf(step));
  AddOutput(step, finding);
  const std::string path(scene.Variable("LD_LIBRARY_PATH"));
  const std::string directory(odd == nullptr ? "" : base::DirName(odd->path));
  if (!directory.empty() && path.find(directory) != std::string::npos) {
    finding.evidence.push_back({"LD_LIBRARY_PATH=" + path, "environment"});
    finding.fix = WithoutSearchDirectory(scene, directory);
    finding.fix.changes.push_back(ANewProbeTells("sub-libraries of one version are loaded").front());
    return;
  }
  finding.fix = {.text = "load all cuDNN sub-libraries from one directory",
                 .commands = {"culprit why " + (odd == nullptr ? "libcudnn_graph.so.9" : Word(odd->name))},
                 .risk = report::Risk::kLow,
                 .changes = ANewProbeTells("sub-libraries of one version are loaded")};
}

void Check(const Scene& scene, Ruling& ruling) {
  if (Probed(scene, ruling) == nullptr) return;
  for (const ProbeFailure* failure : FailuresOf(scene, Trouble::kCudnnMixed))
    CheckJob(scene, *failure, ruling);
}

}  // namespace

extern const Rule kRule = {.code = "CUL9005",
                           .name = "cudnn_loaded_mixed",
                           .family = Family::kLive,
                           .cause = "cudnn-mixed-versions",
                           .severity = report::Severity::kError,
                           .since = "0.5.0",
                           .title = "a process loaded cuDNN sub-libraries of different versions",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cudnn_loaded_mixed
