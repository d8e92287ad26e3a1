// A library that a shell variable forces on a process: LD_LIBRARY_PATH, LD_PRELOAD.
#pragma once

#include <optional>
#include <string>

#include "loader/load_graph.h"
#include "rules/rule.h"

namespace culprit::rules {

// Whether such a variable made the process load this file. A file in the process's own environment does not
// count, however it was found.
bool ForcedByVariable(const Scene& scene, const loader::Scenario& scenario, const loader::Object& object);

// The fix: removes the directory from LD_LIBRARY_PATH, or the file from LD_PRELOAD.
report::Fix WithoutVariable(const Scene& scene, const loader::Object& object);

// If `file` was forced on a process whose environment has a complete cuDNN of that major: the fix that lets
// that one win.
std::optional<report::Fix> LetOwnCudnnWin(const Scene& scene, const loader::Scenario& scenario,
                                          const std::string& file);

}  // namespace culprit::rules
