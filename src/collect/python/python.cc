// Collector of the Python environments: the active one, those given, those in the usual places; their
// packages and frameworks. No Python is executed: everything comes from directory names, records and small
// text files.
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "base/text.h"
#include "collect/python/environments.h"
#include "collect/python/frameworks.h"
#include "collect/python/native_packages.h"
#include "collect/python/packages.h"
#include "collect/stack.h"

namespace culprit::collect {
namespace {

using snapshot::PythonEnvironment;

// Environments can lie anywhere, so these are patterns of what is read of one.
constexpr std::array<std::string_view, 22> kPythonReads = {
    "$PATH/python3",
    "$PATH/python",
    "/**/.python-version",
    "/**/version",
    // what makes a directory an environment; the usual places are many
    "/**/bin/python*",
    "/**/pyvenv.cfg",
    "/**/conda-meta",
    "/**/conda-meta/*",
    "$prefix/lib",
    "$prefix/lib64",
    "/opt/*/.venv",
    "/opt/conda/envs",
    "$HOME/miniconda3/envs",
    "$HOME/anaconda3/envs",
    "$HOME/miniforge3/envs",
    // the Python that a venv was made from, and the directories that it may have
    "/**/lib",
    "/**/lib64",
    "/**/lib/python3*/site-packages",
    "/**/lib64/python3*/site-packages",
    "/**/lib/python3*/dist-packages",
    "$PYTHONPATH",
    "$site/**",
};

std::vector<SiteDirectory> ListSites(const system::System& system, PythonEnvironment& environment) {
  std::vector<SiteDirectory> sites;
  for (const std::string& path : environment.site_packages) {
    auto entries = system.List(path);
    if (entries) {
      sites.push_back({path, *std::move(entries)});
    } else {
      environment.problems.push_back(path + " cannot be listed");
    }
  }
  return sites;
}

// "2.6.0" of "2.6.0+cu124".
std::string PublicPart(const std::string& version) { return version.substr(0, version.find('+')); }

// An interrupted upgrade leaves the record of the release before. Of two records of a package in one
// directory that of the files that are there comes first: true when that changed the order.
bool PutRecordOfFilesFirst(PythonEnvironment& environment) {
  bool changed = false;
  auto& packages = environment.packages;
  for (const snapshot::Framework& framework : environment.frameworks) {
    const std::string directory(base::DirName(framework.directory));
    const auto mine = [&](const snapshot::PythonPackage& package) {
      return package.name == framework.package && base::DirName(package.record) == directory;
    };
    const auto first = std::ranges::find_if(packages, mine);
    if (first == packages.end() || PublicPart(first->version) == PublicPart(framework.version)) continue;
    const auto fits = [&](const snapshot::PythonPackage& package) {
      return mine(package) && PublicPart(package.version) == PublicPart(framework.version);
    };
    const auto right = std::ranges::find_if(packages, fits);
    if (right == packages.end()) continue;
    std::swap(*first, *right);
    changed = true;
  }
  return changed;
}

void FindFrameworks(const Surroundings& around, const std::vector<SiteDirectory>& sites,
                    std::vector<NativePackage> natives, PackageSearch& search,
                    PythonEnvironment& environment) {
  environment.frameworks = FrameworksOf(around.system, sites, environment.packages);
  if (PutRecordOfFilesFirst(environment)) {
    environment.frameworks = FrameworksOf(around.system, sites, environment.packages);
  }
  std::vector<snapshot::Framework> others =
      ThoseWithCuda(around.system, std::move(natives), environment.packages, environment.frameworks);
  std::ranges::move(others, std::back_inserter(environment.frameworks));
  AddDetails(search, sites, environment.frameworks, environment.packages);
}

void Fill(const Surroundings& around, PythonEnvironment& environment) {
  const std::vector<SiteDirectory> sites = ListSites(around.system, environment);
  PackageSearch search{.system = around.system, .verify = around.verify};
  environment.packages = PackagesOf(search, sites);
  std::vector<NativePackage> natives;
  if (!around.names_only) {
    natives = NativePackages(sites, environment.packages);
    ReadPackages(search, sites, environment.packages, natives.size(),
                 [&](size_t i) { ReadLibraries(around.system, natives[i]); });
  }
  if (environment.kind == snapshot::EnvironmentKind::kConda) {
    auto conda = CondaPackages(search, environment.prefix, environment.packages);
    std::ranges::move(conda, std::back_inserter(environment.packages));
  }
  if (!around.names_only) FindFrameworks(around, sites, std::move(natives), search, environment);
  // By name; of one name the first on sys.path stays in front.
  std::multimap<std::string, snapshot::PythonPackage> by_name;
  for (auto& package : environment.packages) by_name.emplace(package.name, std::move(package));
  environment.packages.clear();
  for (auto& [name, package] : by_name) environment.packages.push_back(std::move(package));
  std::ranges::move(search.problems, std::back_inserter(environment.problems));
}

}  // namespace

const CollectorInfo kPythonCollector = {"python", kPythonReads};

Environments CollectPython(const Surroundings& around) {
  return CollectEnvironments(around, {FindPlaces, DescribePlace});
}

snapshot::Fact<std::vector<PythonEnvironment>> CollectEnvironments(const Surroundings& around,
                                                                   const PythonPlatform& platform) {
  std::vector<PythonEnvironment> environments;
  std::vector<std::string> problems;
  for (const Place& place : platform.find(around, problems)) {
    if (around.names_only && place.why == snapshot::EnvironmentWhy::kFound) continue;
    PythonEnvironment environment = platform.describe(around, place);
    Fill(around, environment);
    if (place.why == snapshot::EnvironmentWhy::kFound && environment.frameworks.empty()) continue;
    environments.push_back(std::move(environment));
  }
  if (!environments.empty()) {
    auto& first = environments.front().problems;
    first.insert(first.begin(), problems.begin(), problems.end());
    return Environments::Of(std::move(environments), "records of installed packages");
  }
  if (!problems.empty()) return Environments::Unreadable(problems.front(), "Python environments");
  return Environments::Absent("PATH, VIRTUAL_ENV, CONDA_PREFIX and the usual places");
}

}  // namespace culprit::collect
