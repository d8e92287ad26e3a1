// A library that a variable of the shell forces upon a process: LD_LIBRARY_PATH, LD_PRELOAD.
#pragma once

#include <optional>
#include <string>

#include "loader/load_graph.h"
#include "rules/rule.h"

namespace culprit::rules {

// Whether such a variable made the process take this file. One in the environment to which the process
// belongs is its own, whichever way it was found.
bool ForcedByVariable(const Scene& scene, const loader::Scenario& scenario, const loader::Object& object);

// The fix that takes it back: the directory out of LD_LIBRARY_PATH, the file out of LD_PRELOAD.
report::Fix WithoutVariable(const Scene& scene, const loader::Object& object);

// Where `file` was forced upon a process whose environment has a cuDNN of that major, and a whole one: the
// fix that lets that one win.
std::optional<report::Fix> LetOwnCudnnWin(const Scene& scene, const loader::Scenario& scenario,
                                          const std::string& file);

}  // namespace culprit::rules
