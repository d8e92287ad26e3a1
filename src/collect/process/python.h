// The Python environments of a process that runs.
#pragma once

#include <string>
#include <vector>

#include "collect/process/process.h"

namespace culprit::collect {

// Prefixes as the process sees them, the surest first: of the packages that it has mapped, of the name that
// it was started by (`command`, its argv[0]), of VIRTUAL_ENV. Empty for a process without Python.
std::vector<std::string> PythonPrefixes(const system::System& system, const ProcessLook& look,
                                        const std::string& command);

}  // namespace culprit::collect
