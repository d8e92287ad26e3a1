#include "rules/kit/python/asked.h"

#include <memory>
#include <unordered_map>

#include "rules/kit/python/package_facts.h"

namespace culprit::rules {

using snapshot::PythonEnvironment;
using snapshot::PythonPackage;
using snapshot::Requirement;

// Who asks for what in each environment: there may be thousands of packages, and rules ask for each.
struct AskedIndex {
  struct Of {
    base::MarkerFacts facts;
    std::map<std::string, std::set<std::string>> extras;
    // In the order of the packages.
    std::unordered_map<std::string_view, std::vector<const PythonPackage*>> by;
    std::unordered_map<std::string_view, std::vector<const PythonPackage*>> named;
  };
  std::map<const PythonEnvironment*, Of> environments;
};

namespace {

const AskedIndex::Of& IndexOf(const Scene& scene, const PythonEnvironment& environment) {
  if (scene.asked == nullptr) scene.asked = std::make_shared<AskedIndex>();
  const auto [place, fresh] = scene.asked->environments.try_emplace(&environment);
  AskedIndex::Of& index = place->second;
  if (!fresh) return index;
  index.facts = MarkerFactsOf(scene, environment);
  index.extras = AskedExtras(environment, index.facts);
  for (const PythonPackage& package : environment.packages) {
    auto& named = index.named[package.name];
    named.push_back(&package);
    if (named.size() > 1) continue;  // another of this name comes first on sys.path
    for (const Requirement& requirement : package.requirements) {
      auto& by = index.by[requirement.name];
      if (by.empty() || by.back() != &package) by.push_back(&package);
    }
  }
  return index;
}

}  // namespace

std::map<std::string, std::set<std::string>> AskedExtras(const PythonEnvironment& environment,
                                                         const base::MarkerFacts& facts) {
  std::map<std::string, std::set<std::string>> asked;
  for (const PythonPackage& package : environment.packages) {
    for (const Requirement& requirement : package.requirements) {
      if (requirement.extras.empty() || base::Holds(requirement.marker, facts) != true) continue;
      asked[requirement.name].insert(requirement.extras.begin(), requirement.extras.end());
    }
  }
  return asked;
}

std::vector<Asked> AskedOf(const Scene& scene, const PythonEnvironment& environment,
                           std::string_view package) {
  std::vector<Asked> all;
  const AskedIndex::Of& index = IndexOf(scene, environment);
  const auto asking = index.by.find(package);
  if (asking == index.by.end()) return all;
  for (const PythonPackage* by : asking->second) {
    base::MarkerFacts own = index.facts;
    if (const auto found = index.extras.find(by->name); found != index.extras.end())
      own.extras = found->second;
    for (const Requirement& requirement : by->requirements) {
      if (requirement.name == package && base::Holds(requirement.marker, own) == true)
        all.push_back({by, requirement.specifier});
    }
  }
  return all;
}

std::span<const PythonPackage* const> PackagesNamed(const Scene& scene, const PythonEnvironment& environment,
                                                    std::string_view name) {
  const auto& named = IndexOf(scene, environment).named;
  const auto found = named.find(name);
  if (found == named.end()) return {};
  return found->second;
}

const PythonPackage* FirstNamed(const Scene& scene, const PythonEnvironment& environment,
                                std::string_view name) {
  const auto named = PackagesNamed(scene, environment, name);
  return named.empty() ? nullptr : named.front();
}

}  // namespace culprit::rules
