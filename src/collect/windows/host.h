// Whose process a file of Windows runs in, where that is not its own: a module of Python, and the python.exe
// of a virtual environment, which only starts that of the installation it was made from.
#pragma once

#include <string>

#include "collect/environment.h"
#include "system/system.h"

namespace culprit::collect {

// "" when it is the file's own, or not known. `target` is absolute.
std::string HostProgram(const system::System& system, const Variables& environment,
                        const std::string& target);

// "python.exe" as a shell finds it on PATH, or that of the first environment; the name itself where it is
// nowhere, or no bare name.
std::string FindOnPath(const system::System& system, const Variables& environment, const std::string& name);

}  // namespace culprit::collect
