// The programs that a container starts: its command, followed through wrappers (tini, env, gosu) and through
// `exec` in shell scripts that can be read. Scripts are not evaluated.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "system/system.h"

namespace culprit::collect {

// Absolute paths of ELF files, each once: programs, and the libraries by their full path among the arguments
// of one (a plugin). Shells and Python interpreters are left out: what they run is
// found elsewhere, or not at all.
std::vector<std::string> StartedPrograms(const system::System& system, std::vector<std::string> command,
                                         const std::map<std::string, std::string>& environment);

}  // namespace culprit::collect
