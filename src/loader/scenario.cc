#include "loader/scenario.h"

#include "base/text.h"
#include "loader/imports.h"
#include "loader/windows/scenario.h"

namespace culprit::loader {
namespace {

using snapshot::Snapshot;

// The default loader for programs of this machine: that of its own CPU.
std::string UsualLoader(const Snapshot& snapshot) {
  return snapshot.loaders.empty() ? "" : snapshot.loaders.front().path;
}

std::string LoaderOrHost(const Snapshot& snapshot, const std::string& target) {
  const snapshot::WindowsFacts* windows = snapshot.windows();
  if (windows == nullptr) return UsualLoader(snapshot);
  const auto host = windows->hosts.find(target);
  return host == windows->hosts.end() ? "" : host->second;
}

Scenario AnyProgram(const Snapshot& snapshot, snapshot::FileView& view) {
  if (snapshot.windows() != nullptr) return AnyWindowsProgram(snapshot, view);
  Scenario scenario{.kind = Scenario::Kind::kAnyProgram, .title = "any program in this shell"};
  scenario.graph = Load(snapshot, view,
                        {.interpreter = UsualLoader(snapshot),
                         .known_dlopens = false,
                         .calls = {{.name = "libcuda.so.1"}, {.name = "libnvidia-ml.so.1"}}});
  return scenario;
}

Scenario OfFramework(const Snapshot& snapshot, snapshot::FileView& view, size_t environment,
                     size_t framework) {
  const snapshot::PythonEnvironment& python = (*snapshot.stack.environments)[environment];
  const snapshot::Framework& imported = python.frameworks[framework];
  Scenario scenario{.kind = Scenario::Kind::kFramework,
                    .title = imported.name + " " + imported.version + " in " + python.prefix,
                    .environment = environment,
                    .framework = framework};
  // pip installs the dependencies of a wheel with it; alone it would load nothing, which is not a fault.
  if (python.kind == snapshot::EnvironmentKind::kWheel) {
    scenario.graph.target = imported.directory;
    return scenario;
  }
  scenario.graph = Load(snapshot, view,
                        {.target = python.interpreter,
                         .interpreter = python.process.empty() ? UsualLoader(snapshot) : python.process,
                         .imports = ImportSteps(snapshot, python, imported, view)});
  return scenario;
}

}  // namespace

std::vector<Scenario> PlayScenarios(const Snapshot& snapshot, snapshot::FileView& view,
                                    const std::vector<std::string>& targets) {
  std::vector<Scenario> scenarios = {AnyProgram(snapshot, view)};
  for (const std::string& target : targets) {
    Scenario scenario{.title = target};
    scenario.graph = Load(snapshot, view, {.target = target, .interpreter = LoaderOrHost(snapshot, target)});
    scenarios.push_back(std::move(scenario));
  }
  if (snapshot.windows() != nullptr && targets.empty()) AddCudnnUsers(snapshot, view, scenarios);
  if (!snapshot.stack.environments) return scenarios;
  for (size_t e = 0; e < snapshot.stack.environments->size(); ++e) {
    const snapshot::PythonEnvironment& environment = (*snapshot.stack.environments)[e];
    for (size_t f = 0; f < environment.frameworks.size(); ++f) {
      scenarios.push_back(OfFramework(snapshot, view, e, f));
    }
  }
  return scenarios;
}

}  // namespace culprit::loader
