#include "engine/uses_cuda.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "knowledge/libraries.h"
#include "rules/kit/recipe/recipe_builds.h"
#include "rules/kit/recipe/recipe_gpu.h"

namespace culprit::engine {
namespace {

using loader::Scenario;
using snapshot::PythonEnvironment;

bool NamesCuda(const Scenario& scenario) {
  return std::ranges::any_of(scenario.graph.requests, [](const loader::Request& request) {
    return knowledge::FindLibrary(base::BaseName(request.name)) != nullptr;
  });
}

bool UsesCuda(const rules::Scene& scene, const Scenario& scenario) {
  if (NamesCuda(scenario)) return true;
  const auto is_cuda = [&](const loader::Object& object) {
    if (LibraryOf(object) != nullptr) return true;
    const auto code = scene.view.GpuCode(object.path);
    return code && !code->containers.empty();
  };
  if (std::ranges::any_of(scenario.graph.objects, is_cuda)) return true;
  // The runtime alone is linked into programs, not into libraries without code for it.
  const auto runtime = scene.view.Version(scenario.graph.target);
  return runtime && !runtime->cuda.empty();
}

std::string WhatItIs(const Scenario& scenario) {
  if (!scenario.graph.error.empty()) return "could not be loaded: " + scenario.graph.error;
  return "uses no CUDA, as far as its files tell";
}

bool UsesCuda(const snapshot::Stack& stack, const PythonEnvironment& environment) {
  const auto inside = [&](const std::string& path) {
    return path.starts_with(environment.prefix + "/") ||
           std::ranges::any_of(environment.site_packages,
                               [&](const std::string& site) { return path.starts_with(site + "/"); });
  };
  const auto matters = [](const snapshot::PythonPackage& package) {
    return package.name.starts_with("nvidia-") || package.name.starts_with("cuda-") ||
           package.name.starts_with("numba");  // has no library of its own, and needs those of CUDA
  };
  return !environment.frameworks.empty() || std::ranges::any_of(environment.packages, matters) ||
         (stack.toolkits && std::ranges::any_of(stack.toolkits->copies,
                                                [&](const auto& toolkit) { return inside(toolkit.root); })) ||
         (stack.cudnn &&
          std::ranges::any_of(*stack.cudnn, [&](const auto& copy) { return inside(copy.directory); }));
}

bool WasNamed(const PythonEnvironment& environment) {
  return environment.why == snapshot::EnvironmentWhy::kGiven;
}

size_t CountNamed(const rules::Scene& scene) {
  auto count = std::ranges::count(scene.scenarios, Scenario::Kind::kProgram, &Scenario::kind);
  if (scene.stack().environments) count += std::ranges::count_if(*scene.stack().environments, WasNamed);
  return static_cast<size_t>(count);
}

// Whether something may be there that could not be read.
template <typename T>
bool Unread(const snapshot::Fact<T>& fact) {
  return fact.state == snapshot::FactState::kUnreadable || fact.state == snapshot::FactState::kTimedOut;
}

// What --host assumes is not there.
bool HasDriver(const rules::Scene& scene) {
  const auto& driver = scene.stack().driver;
  return Unread(driver) ||
         (driver && !driver->assumed && (driver->kernel_version || !driver->libraries.empty()));
}

// Of a machine: anything that somebody installed.
bool HasCuda(const rules::Scene& scene) {
  const snapshot::Stack& stack = scene.stack();
  const bool gpus =
      stack.gpus && std::ranges::any_of(*stack.gpus, [](const auto& gpu) { return !gpu.assumed; });
  const bool toolkits = Unread(stack.toolkits) || (stack.toolkits && !stack.toolkits->copies.empty());
  const bool cudnn = Unread(stack.cudnn) || (stack.cudnn && !stack.cudnn->empty());
  const bool python =
      Unread(stack.environments) ||
      (stack.environments && std::ranges::any_of(*stack.environments, [&](const auto& environment) {
         return UsesCuda(stack, environment);
       }));
  return HasDriver(scene) || gpus || toolkits || cudnn || python ||
         std::ranges::any_of(scene.scenarios, &Scenario::WasSeen);
}

bool MayConcernGpu(const rules::PartView& view) {
  const bool dockerfile = view.recipe->kind == snapshot::RecipeKind::kDockerfile;
  return !view.part->gpus.empty() || !rules::WantsGpu(view).empty() || !rules::BuildsOf(view).empty() ||
         !rules::OpenInstallsOf(view).empty() || !rules::UnreadInstallsOf(view).empty() ||
         !rules::DoubtfulCopiesOf(view).empty() || !rules::ScriptsOf(view).empty() || !view.linked.empty() ||
         (dockerfile && view.image.has == knowledge::ImageHas::kUnknown);
}

}  // namespace

std::vector<report::NotChecked> WithoutCuda(const rules::Scene& scene) {
  std::vector<report::NotChecked> list;
  for (const Scenario& scenario : scene.scenarios) {
    if (scenario.kind == Scenario::Kind::kProgram && !UsesCuda(scene, scenario))
      list.push_back({scenario.title, WhatItIs(scenario)});
  }
  if (!scene.stack().environments) return list;
  for (const PythonEnvironment& environment : *scene.stack().environments) {
    // The driver that it would use was judged at least.
    if (WasNamed(environment) && !HasDriver(scene) && !UsesCuda(scene.stack(), environment))
      list.push_back({environment.prefix, "has no package with CUDA in it"});
  }
  return list;
}

// Of recipes: nothing in them has to do with a GPU. What is not known may.
std::string NothingInRecipes(const rules::Scene& scene) {
  if (std::ranges::any_of(*scene.stack().recipes,
                          [](const snapshot::Recipe& recipe) { return !recipe.unread.empty(); }))
    return "";
  for (const rules::PartView& view : rules::AllParts(scene)) {
    if (view.part->open || MayConcernGpu(view)) return "";
  }
  return "nothing in it concerns a GPU";
}

std::string NothingToJudge(const rules::Scene& scene) {
  if (scene.stack().recipes) return NothingInRecipes(scene);
  if (scene.stack().builds) return "";  // what a build took of CUDA was judged
  if (!HasCuda(scene)) {
    const auto programs = std::ranges::count(scene.scenarios, Scenario::Kind::kProgram, &Scenario::kind);
    if (programs == 0) return "no CUDA found: no toolkit, no cuDNN, no framework that uses a GPU";
  }
  const size_t named = CountNamed(scene);
  const auto without = WithoutCuda(scene);
  if (named == 0 || without.size() < named) return "";
  return named == 1 ? without.front().what + " " + without.front().why : "none of the targets uses CUDA";
}

bool NothingInRecipesIsSure(const rules::Scene& scene) {
  return !scene.stack().driver ||
         std::ranges::none_of(rules::Started(scene), [](const rules::PartView& view) {
           return view.image.has == knowledge::ImageHas::kUnknown;
         });
}

}  // namespace culprit::engine
