// CUL9006: a cuDNN sub-library fails to load.
#include "rules/kit/changes.h"
#include "rules/kit/live/probe_facts.h"
#include "rules/kit/live/probe_failures.h"
#include "rules/kit/loading/load_error.h"
#include "rules/rule.h"

namespace culprit::rules::cudnn_part_not_loaded {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
libcudnn itself was loaded, but a sub-library that it opens on demand was not.

## Why it breaks
cuDNN opens its sub-libraries by name at the first call that needs them. If a file is missing, truncated, not readable
for this user or lacks a dependency, the result is CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED (1008),
CUDNN_STATUS_NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE (3009) or an abort with "Could not load library
libcudnn_cnn_infer.so.8".

## How culprit knows
From the status and from what cuDNN and the loader printed: they name the sub-library and the reason. CUL3003 and the
rules CUL50xx find the same in the files; where they fire, this rule stays silent.

## Fix
Reinstall all of that cuDNN. Copying one sub-library from elsewhere mixes versions.

## When this is not your problem
Never, if something uses this cuDNN.

## Sources
cuDNN API reference, cudnnStatus_t; dlopen(3).
)md";

// The file name of the first sub-library that the step mentions: "libcudnn_ops" of cuDNN 9 is
// libcudnn_ops.so.9.
std::string PartIn(const snapshot::ProbeStep& step) {
  const std::string words = Words(step);
  const size_t begin = words.find("libcudnn_");
  if (begin == std::string::npos) return "";
  const size_t end = words.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", begin);
  const std::string name = words.substr(begin, end - begin);
  const size_t suffix = step.subject.find(".so.");
  return suffix == std::string::npos ? name : name + step.subject.substr(suffix, 5);
}

void Check(const Scene& scene, Ruling& ruling) {
  if (Probed(scene, ruling) == nullptr) return;
  for (const ProbeFailure* failure : FailuresOf(scene, Trouble::kCudnnPart)) {
    const snapshot::ProbeStep& step = *failure->step;
    LoadError error = ReadLoadError(Words(step));
    if (error.library.empty()) error.library = PartIn(step);
    const std::string part = error.library.empty() ? "a cuDNN sub-library" : error.library;
    report::Finding& finding =
        ruling.Fire(part + " fails to load" + (error.reason.empty() ? "" : ": " + error.reason),
                    SubjectOf(step), {part, error.reason});
    const bool part_itself = error.library.empty() || error.library.find("cudnn") != std::string::npos;
    finding.cause = error.cause == "not-found"
                        ? (part_itself ? "cudnn-sublibrary-missing" : "dependent-missing")
                        : (error.cause.empty() ? "cudnn-sublibrary-missing" : error.cause);
    finding.affects.push_back(step.job.text());
    finding.evidence.push_back(EvidenceOf(step));
    AddOutput(step, finding);
    finding.fix = {
        .text = "reinstall all of cuDNN; do not copy single sub-libraries from elsewhere",
        .commands = {"culprit why " + (error.library.empty() ? "libcudnn.so.9" : Word(error.library))},
        .risk = report::Risk::kLow,
        .changes = ANewProbeTells(part + " is loaded")};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL9006",
                           .name = "cudnn_part_not_loaded",
                           .family = Family::kLive,
                           .cause = "cudnn-sublibrary-missing",
                           .severity = report::Severity::kError,
                           .since = "0.5.0",
                           .title = "a cuDNN sub-library fails to load",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cudnn_part_not_loaded
