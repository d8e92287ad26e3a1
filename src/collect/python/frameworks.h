// Which frameworks a Python would import, and how each was built, as its own files say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "collect/python/packages.h"
#include "snapshot/stack.h"
#include "system/system.h"

namespace culprit::collect {

// Whether a package brings one of the frameworks that have rows here.
bool IsOfKnownFramework(std::string_view package);

// `sites` in the order of sys.path: the first directory that holds a module wins, as in Python.
std::vector<snapshot::Framework> FrameworksOf(const system::System& system,
                                              const std::vector<SiteDirectory>& sites,
                                              const std::vector<snapshot::PythonPackage>& packages);

}  // namespace culprit::collect
