// Simulated on a Windows machine in addition to programs and frameworks: for a cuDNN that is installed
// system-wide, a program that loads it by name must get all of it.
#include "loader/windows/scenario.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "base/windows/path.h"

namespace culprit::loader {
namespace {

using snapshot::CudnnCopy;
using snapshot::Snapshot;

bool NotFoundAtAll(const LoadGraph& graph, const std::string& name) {
  return std::ranges::any_of(graph.requests, [&](const Request& request) {
    return request.name == name && !request.error.empty() &&
           std::ranges::all_of(request.attempts,
                               [](const Attempt& attempt) { return attempt.outcome == Outcome::kMissing; });
  });
}

}  // namespace

bool BelongsToPython(const Snapshot& snapshot, const std::string& directory) {
  if (!snapshot.stack.environments) return false;
  for (const snapshot::PythonEnvironment& environment : *snapshot.stack.environments) {
    for (const std::string& site : environment.site_packages) {
      if (base::FoldCase(directory).starts_with(base::FoldCase(site) + "/")) return true;
    }
    if (environment.kind == snapshot::EnvironmentKind::kConda &&
        base::FoldCase(directory).starts_with(base::FoldCase(environment.prefix) + "/")) {
      return true;
    }
  }
  return false;
}

Scenario AnyWindowsProgram(const Snapshot& snapshot, snapshot::FileView& view) {
  Scenario scenario{.kind = Scenario::Kind::kAnyProgram, .title = "any program in this shell"};
  scenario.graph =
      Load(snapshot, view, {.known_dlopens = false, .calls = {{.name = "nvcuda.dll"}, {.name = "nvml.dll"}}});
  return scenario;
}

std::vector<Scenario> CudnnUsers(const Snapshot& snapshot, snapshot::FileView& view) {
  std::vector<Scenario> scenarios;
  if (!snapshot.stack.cudnn) return scenarios;
  std::set<uint32_t> everybodys, bundled;
  for (const CudnnCopy& copy : *snapshot.stack.cudnn) {
    (BelongsToPython(snapshot, copy.directory) ? bundled : everybodys).insert(copy.major);
  }
  for (const uint32_t major : everybodys) {
    const std::string name = "cudnn64_" + std::to_string(major) + ".dll";
    Scenario scenario{.title = "a program in this shell that loads " + name};
    scenario.graph = Load(snapshot, view, {.imports = {ImportStep{.names = {name}}}});
    // Programs that bundle a copy do not need this one.
    if (bundled.contains(major) && NotFoundAtAll(scenario.graph, name)) continue;
    scenarios.push_back(std::move(scenario));
  }
  return scenarios;
}

}  // namespace culprit::loader
