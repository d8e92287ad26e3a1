#include "probe/judge/probe_groups.h"

#include <algorithm>

#include "base/text.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/kit/live/probe_facts.h"

namespace culprit::probe {
namespace {

using snapshot::JobKind;
using snapshot::ProbeStep;

// The first figure of that name in the job.
std::string Figure(const snapshot::ProbeFacts& facts, const snapshot::ProbeJob& job,
                   const std::string& name) {
  for (const ProbeStep& step : facts.steps) {
    if (step.job != job) continue;
    const auto found = step.figures.find(name);
    if (found != step.figures.end()) return found->second;
  }
  return "";
}

// The version of the first file of the job whose name begins so.
std::string VersionOf(const snapshot::ProbeFacts& facts, const snapshot::ProbeJob& job,
                      std::string_view name) {
  for (const ProbeStep& step : facts.steps) {
    if (step.job != job) continue;
    for (const snapshot::ProbedLibrary& library : step.libraries) {
      if (library.name.starts_with(name) && !library.version.empty()) return library.version;
    }
  }
  return "";
}

std::string CudnnVersion(const rules::Scene& scene, const ProbeStep& step, const std::string& place) {
  if (scene.stack().cudnn) {
    for (const snapshot::CudnnCopy& copy : *scene.stack().cudnn) {
      const bool here = copy.directory == place || copy.directory == base::DirName(step.subject);
      if (here && !copy.version.empty()) return copy.version;
    }
  }
  return VersionOf(*scene.stack().probe, step.job, scene.OnWindows() ? "cudnn64" : "libcudnn.so");
}

std::string Spaced(const std::string& text) { return text.empty() ? "" : " " + text; }
std::string In(const std::string& place) { return place.empty() ? "" : " in " + place; }

}  // namespace

std::string GroupOf(const rules::Scene& scene, const ProbeStep& step) {
  const snapshot::ProbeFacts& facts = *scene.stack().probe;
  const JobKind kind = JobOf(step.name);
  const std::string& rest = step.job.place();
  if (kind == JobKind::kDriver) {
    if (step.name == snapshot::StepName::kPeer) return "two devices";
    if (!rest.empty()) return rest;
    std::string version = Figure(facts, step.job, "driver_version");
    if (version.empty() && scene.stack().driver) {
      if (const auto* library = rules::FindDriverLibrary(*scene.stack().driver)) version = library->version;
    }
    return "driver" + Spaced(version);
  }
  if (kind == JobKind::kRuntime) return "CUDA" + Spaced(Figure(facts, step.job, "runtime_cuda")) + In(rest);
  if (kind == JobKind::kCudnn) {
    const std::string place = rest.empty() ? std::string(base::DirName(step.subject)) : rest;
    return "cuDNN" + Spaced(CudnnVersion(scene, step, place)) + In(place);
  }
  if (kind == JobKind::kFramework) {
    return rules::FrameworkOf(step) + Spaced(Figure(facts, step.job, "version")) + In(rest);
  }
  return "compiling" + (rest.empty() ? "" : " with " + rest);
}

}  // namespace culprit::probe
