// The packages installed in the directories that a Python searches, from their records alone.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "snapshot/stack.h"
#include "system/system.h"

namespace culprit::collect {

// What decides about CUDA: packages that bring CUDA libraries, frameworks, and what is compiled against them.
bool MattersToCuda(std::string_view package);

// One directory of sys.path, listed once.
struct SiteDirectory {
  std::string path;
  std::vector<system::DirectoryEntry> entries;

  const system::DirectoryEntry* Find(std::string_view name) const;  // nullptr: there is none
  bool Has(std::string_view name) const { return Find(name) != nullptr; }
};

struct PackageSearch {
  const system::System& system;
  bool verify = false;  // compare hashes too
  std::vector<std::string> problems{};
};

// Names, versions and records, in the order of `sites`.
std::vector<snapshot::PythonPackage> PackagesOf(PackageSearch& search,
                                                const std::vector<SiteDirectory>& sites);
// Adds the requirements, installer and damaged files of those that matter to CUDA. `beside` is called for
// each number below `count`, by the same threads.
void ReadPackages(PackageSearch& search, const std::vector<SiteDirectory>& sites,
                  std::vector<snapshot::PythonPackage>& packages, size_t count,
                  const std::function<void(size_t)>& beside);
// The same details of the packages of `frameworks` whose names alone did not tell that they matter.
void AddDetails(PackageSearch& search, const std::vector<SiteDirectory>& sites,
                const std::vector<snapshot::Framework>& frameworks,
                std::vector<snapshot::PythonPackage>& packages);
// Packages of conda-meta that no dist-info among `known` speaks for.
std::vector<snapshot::PythonPackage> CondaPackages(PackageSearch& search, const std::string& prefix,
                                                   const std::vector<snapshot::PythonPackage>& known);

}  // namespace culprit::collect
