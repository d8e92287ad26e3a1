// Which programs a run was about.
#pragma once

#include <string>
#include <vector>

#include "snapshot/record/run.h"
#include "system/system.h"

namespace culprit::watch {

// What of the run is played as a program: neither a shell nor an interpreter, whose imports are played
// instead.
std::vector<std::string> ProgramsOf(const record::Run& run);
// The interpreter among a run's processes, as the user's environment has it (.venv/bin/python, not what that
// links to); "" none.
std::string PythonOf(const system::System& machine, const record::Run& run);

}  // namespace culprit::watch
