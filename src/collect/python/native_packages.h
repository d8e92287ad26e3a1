// Packages with CUDA in them that nobody wrote down: what their own libraries need and hold tells.
#pragma once

#include <vector>

#include "collect/python/packages.h"
#include "snapshot/stack.h"
#include "system/system.h"

namespace culprit::collect {

// A framework for each package of `packages` with libraries that need a CUDA library or hold GPU code, except
// for those that `known` speaks for.
std::vector<snapshot::Framework> PackagesWithCuda(const system::System& system,
                                                  const std::vector<SiteDirectory>& sites,
                                                  const std::vector<snapshot::PythonPackage>& packages,
                                                  const std::vector<snapshot::Framework>& known);

}  // namespace culprit::collect
