// Who asks for what in an environment: there may be thousands of packages, and rules ask for each.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/python/pep508.h"
#include "rules/rule.h"

namespace culprit::rules {

// The extras that packages of an environment require of each other.
std::map<std::string, std::set<std::string>> AskedExtras(const snapshot::PythonEnvironment& environment,
                                                         const base::MarkerFacts& facts);

// What installed packages require of one package, if the marker holds here.
struct Asked {
  const snapshot::PythonPackage* by;
  std::string specifier;
};
std::vector<Asked> AskedOf(const Scene& scene, const snapshot::PythonEnvironment& environment,
                           std::string_view package);

// The packages of a name, in the order of sys.path.
std::span<const snapshot::PythonPackage* const> PackagesNamed(const Scene& scene,
                                                              const snapshot::PythonEnvironment& environment,
                                                              std::string_view name);
// As PythonEnvironment::Find().
const snapshot::PythonPackage* FirstNamed(const Scene& scene, const snapshot::PythonEnvironment& environment,
                                          std::string_view name);

}  // namespace culprit::rules
