#include "loader/scenario.h"

#include <future>
#include <iterator>
#include <list>
#include <utility>

#include "base/parallel/in_time.h"
#include "knowledge/packages/imports.h"
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
                         .calls = {{.name = "libcuda.so.1"}, {.name = "libnvidia-ml.so.1"}},
                         .symbols = false});
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
                         .imports = ImportSteps(snapshot, python, imported, view),
                         .names_inside = !knowledge::HasImportRows(imported.name),
                         .symbols = false});
  return scenario;
}

// The environment in whose site-packages a module lies; kNone if that was not looked at.
size_t EnvironmentWith(const Snapshot& snapshot, const std::string& module) {
  if (!snapshot.stack.environments) return kNone;
  const auto& environments = *snapshot.stack.environments;
  for (size_t e = 0; e < environments.size(); ++e) {
    for (const std::string& site : environments[e].site_packages) {
      if (module.starts_with(site + "/") && !environments[e].interpreter.empty()) return e;
    }
  }
  return kNone;
}

// A program or a library. Python opens a module of an environment, and imports before it what the module
// needs.
Scenario OfTarget(const Snapshot& snapshot, snapshot::FileView& view, const std::string& target) {
  Scenario scenario{.title = target};
  Question question{.target = target,
                    .interpreter = LoaderOrHost(snapshot, target),
                    .names_inside = true,
                    .symbols = false};
  const size_t environment = snapshot.windows() == nullptr ? EnvironmentWith(snapshot, target) : kNone;
  if (environment != kNone) {
    const snapshot::PythonEnvironment& python = (*snapshot.stack.environments)[environment];
    const snapshot::Framework module{.name = target, .directory = target, .libraries = {target}};
    question.imports = ImportSteps(snapshot, python, module, view);
    question.target = python.interpreter;
    scenario.environment = environment;
  }
  scenario.graph = Load(snapshot, view, question);
  return scenario;
}

// The scenarios so far. The symbols of one are compared while the next is loaded.
class Played {
 public:
  explicit Played(snapshot::FileView& view) : view_(view) {}
  ~Played() {
    if (compared_.valid()) compared_.wait();
  }
  Played(const Played&) = delete;

  void Add(Scenario scenario) {
    Scenario& added = scenarios_.emplace_back(std::move(scenario));
    const auto compare = [&added, &view = view_] { CompareSymbols(added.graph, view); };
    if (added.graph.windows || !view_.AnswersAboutSymbolsMeanwhile()) return compare();
    compared_ = base::StartAside([compare, before = compared_] {
                  if (before.valid()) before.get();
                  compare();
                }).share();
  }
  std::vector<Scenario> Take() {
    if (compared_.valid()) compared_.get();
    return {std::move_iterator(scenarios_.begin()), std::move_iterator(scenarios_.end())};
  }

 private:
  snapshot::FileView& view_;
  std::list<Scenario> scenarios_;  // each stays where it is
  std::shared_future<void> compared_;
};

}  // namespace

bool TakesDriverAsThere(const Snapshot& snapshot) {
  return snapshot.stack.driver && snapshot.stack.driver->assumed;
}

std::vector<Scenario> PlayScenarios(const Snapshot& snapshot, snapshot::FileView& view,
                                    const std::vector<std::string>& targets) {
  if (snapshot.stack.recipes) return {};  // no machine, so nothing is loaded
  Played played(view);
  played.Add(AnyProgram(snapshot, view));
  for (const std::string& target : targets) played.Add(OfTarget(snapshot, view, target));
  if (snapshot.windows() != nullptr && targets.empty()) {
    for (Scenario& user : CudnnUsers(snapshot, view)) played.Add(std::move(user));
  }
  if (snapshot.stack.environments) {
    for (size_t e = 0; e < snapshot.stack.environments->size(); ++e) {
      const snapshot::PythonEnvironment& environment = (*snapshot.stack.environments)[e];
      for (size_t f = 0; f < environment.frameworks.size(); ++f)
        played.Add(OfFramework(snapshot, view, e, f));
    }
  }
  return played.Take();
}

}  // namespace culprit::loader
