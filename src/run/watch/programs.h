// Which programs a run was about.
#pragma once

#include <string>
#include <vector>

#include "snapshot/record/run.h"
#include "system/system.h"

namespace culprit::watch {

// The programs whose loading is simulated. Not shells, and not interpreters, whose imports are simulated
// instead.
std::vector<std::string> ProgramsOf(const record::Run& run);
// The interpreter among a run's processes, by its path in the environment (.venv/bin/python, not what that
// symlink points to); "" = none.
std::string PythonOf(const system::System& machine, const record::Run& run);

}  // namespace culprit::watch
