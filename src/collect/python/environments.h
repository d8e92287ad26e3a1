// Where Python environments are, and what the Python of each would search for modules: the prefix, the
// interpreter, sys.path. Decided from files and variables as site.py and getpath.py of CPython 3.8 to 3.14
// decide it; nothing is executed.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "collect/stack.h"

namespace culprit::collect {

struct Place {
  std::string prefix;       // absolute
  std::string interpreter;  // "" = to be looked for in <prefix>/bin
  snapshot::EnvironmentWhy why = snapshot::EnvironmentWhy::kUnknown;
};

// Those that were given; otherwise the active one, then those in the usual places. Each prefix once.
std::vector<Place> FindPlaces(const Surroundings& around, std::vector<std::string>& problems);
// Whether packages lie in the directory itself: a wheel, or what `pip install --target` leaves.
bool HoldsPackages(const Surroundings& around, const std::string& directory);

// Prefix, kind, interpreter, version and sys.path of an environment; packages and frameworks are left empty.
snapshot::PythonEnvironment DescribePlace(const Surroundings& around, const Place& place);

// What a platform decides about environments; the rest is the same everywhere.
struct PythonPlatform {
  std::vector<Place> (*find)(const Surroundings& around, std::vector<std::string>& problems);
  snapshot::PythonEnvironment (*describe)(const Surroundings& around, const Place& place);
};
// python.cc: every environment with its packages and frameworks.
snapshot::Fact<std::vector<snapshot::PythonEnvironment>> CollectEnvironments(const Surroundings& around,
                                                                             const PythonPlatform& platform);

// Of two places with one prefix the first.
std::vector<Place> EachOnce(const system::System& system, std::vector<Place> places);

// pyvenv.cfg: "key = value" lines.
struct VenvConfig {
  std::string home;
  std::string version;  // "3.12.4"
  bool system_site = false;
};
std::optional<VenvConfig> ReadVenvConfig(const Surroundings& around, const std::string& prefix);
// "3.12.4" -> "3.12"; "" when it is no such number.
std::string ShortVersion(std::string_view text);

// sys.path of an environment as it grows: each directory once.
class SysPath {
 public:
  SysPath(const Surroundings& around, snapshot::PythonEnvironment& environment)
      : around_(around), environment_(environment) {}

  // False when there is no such directory, or it is there already.
  bool Add(const std::string& directory);
  // One that comes before the packages of the environment.
  void AddFirst(const std::string& directory, const std::string& source);
  // A directory of packages, and what its .pth files add: each line that is a directory.
  void AddSite(const std::string& directory);

 private:
  const Surroundings& around_;
  snapshot::PythonEnvironment& environment_;
  std::set<std::string> seen_;  // real paths
};

}  // namespace culprit::collect
