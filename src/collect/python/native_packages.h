// Packages with CUDA that are not in the tables, found by what their own libraries need and contain.
#pragma once

#include <string>
#include <vector>

#include "collect/python/packages.h"
#include "snapshot/stack.h"
#include "system/system.h"

namespace culprit::collect {

struct NativePackage {
  std::string name, version, record;
  std::string site;                      // the directory it is installed in
  std::vector<std::string> libraries{};  // as its record says
  bool only_libraries = false;           // no Python file among the rest
};

// The packages that may have CUDA in them: all but those of the frameworks that have rows. Reads nothing.
std::vector<NativePackage> NativePackages(const std::vector<SiteDirectory>& sites,
                                          const std::vector<snapshot::PythonPackage>& packages);

// Fills in the libraries that are large enough to compute or to load something. From any thread.
void ReadLibraries(const system::System& system, NativePackage& package);

// A framework for each package with libraries that need a CUDA library or hold GPU code, except for those
// that belong to a `known` framework.
std::vector<snapshot::Framework> ThoseWithCuda(const system::System& system,
                                               std::vector<NativePackage> natives,
                                               const std::vector<snapshot::PythonPackage>& packages,
                                               const std::vector<snapshot::Framework>& known);

}  // namespace culprit::collect
