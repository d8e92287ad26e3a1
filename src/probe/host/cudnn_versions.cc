#include "probe/host/cudnn_versions.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "base/version.h"

namespace culprit::probe {
namespace {

using snapshot::ProbedLibrary;

bool IsCudnn(const ProbedLibrary& library) {
  return library.name.starts_with("libcudnn") || library.name.starts_with("cudnn");
}

// Three parts: the fourth is a build number that not every file tells.
std::optional<base::Version> ReleaseOf(const ProbedLibrary& library) {
  auto version = base::Version::Parse(library.version);
  if (version && version->parts.size() > 3) version->parts.resize(3);
  return version;
}

// A shell that a package bundles alone (libcudnn-0a1b2c3d.so.9.1.0) is served by newer parts.
bool IsBundledShell(const ProbedLibrary& library) { return library.name.starts_with("libcudnn-"); }

std::string Difference(const std::vector<ProbedLibrary>& files) {
  const ProbedLibrary* first = nullptr;
  for (const ProbedLibrary& file : files) {
    if (!ReleaseOf(file) || IsBundledShell(file)) continue;
    if (first == nullptr) first = &file;
    if (*ReleaseOf(file) != *ReleaseOf(*first)) {
      return file.path + " is " + ReleaseOf(file)->ToString() + ", " + first->path + " is " +
             ReleaseOf(*first)->ToString();
    }
  }
  return "";
}

}  // namespace

void CompareCudnnVersions(snapshot::ProbeFacts& facts) {
  for (snapshot::ProbeStep& step : facts.steps) {
    if (step.name != snapshot::StepName::kCudnnParts || step.outcome != snapshot::StepOutcome::kOk) continue;
    std::vector<ProbedLibrary> files;
    for (const snapshot::ProbeStep& other : facts.steps) {
      if (other.job == step.job) std::ranges::copy_if(other.libraries, std::back_inserter(files), IsCudnn);
    }
    const std::string difference = Difference(files);
    if (difference.empty()) continue;
    step.outcome = snapshot::StepOutcome::kFailed;
    step.status = base::OwnStatus::kMixedVersions;
    step.detail = difference;
  }
}

}  // namespace culprit::probe
