#include "rules/kit/python/package_facts.h"

#include <algorithm>

#include "base/text.h"
#include "rules/kit/driver/driver_facts.h"

namespace culprit::rules {

using snapshot::Framework;
using snapshot::PythonEnvironment;

std::span<const PythonEnvironment> EnvironmentsOf(const Scene& scene, Ruling& ruling) {
  const auto& fact = scene.stack().environments;
  if (fact) {
    const auto wheel = std::ranges::find(*fact, snapshot::EnvironmentKind::kWheel, &PythonEnvironment::kind);
    return {fact->begin(), wheel};
  }
  if (fact.state == snapshot::FactState::kAbsent) {
    ruling.NotApplicable();
  } else {
    ruling.NotEnoughFacts("Python environments", fact.why);
  }
  return {};
}

const Framework* FindFramework(const PythonEnvironment& environment, std::string_view name) {
  const auto found = std::ranges::find(environment.frameworks, name, &Framework::name);
  return found == environment.frameworks.end() ? nullptr : &*found;
}

Command PythonOf(const PythonEnvironment& environment) {
  return environment.interpreter.empty() ? "python3" : Word(environment.interpreter);
}

Command PipOf(const PythonEnvironment& environment) { return PythonOf(environment) + " -m pip"; }

std::string TitleOf(const PythonEnvironment& environment, const Framework& framework) {
  return framework.name + " " + framework.version + " in " + environment.prefix;
}

base::MarkerFacts MarkerFactsOf(const Scene& scene, const PythonEnvironment& environment) {
  return {.python = environment.python, .cpu = scene.snapshot.cpu.machine, .windows = scene.OnWindows()};
}

std::string MajorOf(std::string_view version) { return std::string(version.substr(0, version.find('.'))); }

std::string CudaMajorOfPackage(std::string_view name) {
  const size_t at = name.rfind("-cu");
  if (at == std::string_view::npos) return "";
  const std::string_view digits = name.substr(at + 3);
  if (digits.size() != 2 || digits.find_first_not_of("0123456789") != std::string_view::npos) return "";
  return std::string(digits);
}

Presence GpuPresence(const Scene& scene) {
  const auto& gpus = scene.stack().gpus;
  if (gpus) return gpus->empty() ? Presence::kNo : Presence::kYes;
  return gpus.state == snapshot::FactState::kAbsent ? Presence::kNo : Presence::kUnknown;
}

Presence GpuExpected(const Scene& scene) {
  const auto& driver = scene.stack().driver;
  const bool wsl = Circumstances(scene).wsl && driver && FindDriverLibrary(*driver) != nullptr;
  return wsl ? Presence::kYes : GpuPresence(scene);
}

bool Works(const loader::Scenario& scenario) {
  if (!scenario.graph.error.empty() || !scenario.graph.import_error.empty()) return false;
  return std::ranges::none_of(scenario.graph.requests, [](const loader::Request& request) {
    return !request.error.empty() && !request.optional && !request.alternative;
  });
}

const loader::Scenario* ScenarioOf(const Scene& scene, const PythonEnvironment& environment,
                                   std::string_view framework) {
  for (const loader::Scenario& scenario : scene.scenarios) {
    const Framework* found = scene.FrameworkOf(scenario);
    if (found != nullptr && found->name == framework && scene.EnvironmentOf(scenario) == &environment) {
      return &scenario;
    }
  }
  return nullptr;
}

}  // namespace culprit::rules
