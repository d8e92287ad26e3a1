// Where Python environments are, and what the Python of each would search for modules: the prefix, the
// interpreter, sys.path. Decided from files and variables as site.py and getpath.py of CPython 3.8 to 3.14
// decide it; nothing is executed.
#pragma once

#include <string>
#include <vector>

#include "collect/stack.h"

namespace culprit::collect {

struct Place {
  std::string prefix;       // absolute
  std::string interpreter;  // "" = to be looked for in <prefix>/bin
  std::string why;          // "active", "given", "found"
};

// Those that were given; otherwise the active one, then those in the usual places. Each prefix once.
std::vector<Place> FindPlaces(const Surroundings& around, std::vector<std::string>& problems);
// Whether packages lie in the directory itself: a wheel, or what `pip install --target` leaves.
bool HoldsPackages(const Surroundings& around, const std::string& directory);

// Prefix, kind, interpreter, version and sys.path of an environment; packages and frameworks are left empty.
snapshot::PythonEnvironment DescribePlace(const Surroundings& around, const Place& place);

}  // namespace culprit::collect
