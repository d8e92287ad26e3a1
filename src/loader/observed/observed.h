// An observed load instead of a simulated one: what a process has mapped, as the same kind of graph that a
// model makes, so that the same rules judge it.
#pragma once

#include <string>
#include <vector>

#include "loader/scenario.h"
#include "snapshot/record/run.h"

namespace culprit::loader {

// For a process that a run watched (its requests are known), or for one that is already running. For the
// latter only its files are known; what requested each and how it was found comes from DT_NEEDED, the table
// of known dlopen calls and the model. What these do not explain stays Via::kUnknown.
//
// A library that was closed again is not an object; neither is what a failed dlopen had loaded. A failed
// dlopen counts as harmless (Request::optional) unless the program's output contains the loader's message, or
// the caller is known to need it.
Scenario Observed(const record::Process& process, const snapshot::Snapshot& snapshot,
                  snapshot::FileView& view);

// The processes of a run that are worth judging, the command itself first. One that forked without exec has
// what its parent had loaded up to then, and is left out if it requested nothing itself.
std::vector<Scenario> ObservedProcesses(const record::Run& run, const snapshot::Snapshot& snapshot,
                                        snapshot::FileView& view);

// Running processes and what goes with them: any program started with their environment, and the rest of the
// import of frameworks that they have loaded. `snapshot` is used with that environment.
std::vector<Scenario> ScenariosAround(const std::vector<record::Process>& processes,
                                      const snapshot::Snapshot& snapshot, snapshot::FileView& view);

// Removes the simulated scenarios that an observed process fully covers: a program or framework whose
// simulation finds no CUDA library that the process did not meet itself.
void DropPlayedThatWasSeen(std::vector<Scenario>& scenarios);

// "python3 (pid 4711)"
std::string ProcessTitle(const record::Process& process);

}  // namespace culprit::loader
