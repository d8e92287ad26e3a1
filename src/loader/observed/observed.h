// A load that was seen instead of played: what a process has mapped, as the same graph that a model makes, so
// that the same rules judge it.
#pragma once

#include <string>
#include <vector>

#include "loader/scenario.h"
#include "snapshot/record/run.h"

namespace culprit::loader {

// Of a process that a run watched (its requests are known), or that runs already: only its files are known
// then, and who asked for each and how it was found is asked of DT_NEEDED, the table of known dlopen calls
// and the model; what these do not explain stays Via::kUnknown.
//
// A library that was closed again is no object; what a failed dlopen had brought in neither. A dlopen that
// failed counts as survived (Request::optional) unless the program's output has the loader's words, or the
// caller is known to need it.
Scenario Observed(const record::Process& process, const snapshot::Snapshot& snapshot,
                  snapshot::FileView& view);

// The processes of a run that are worth judging, the command itself first. One that forked without exec has
// what its parent had loaded until then, and is left out when it asked for nothing itself.
std::vector<Scenario> ObservedProcesses(const record::Run& run, const snapshot::Snapshot& snapshot,
                                        snapshot::FileView& view);

// Processes that run, and what goes with them: any program started with their environment, and the
// frameworks that they have loaded as far as they have not come themselves yet. `snapshot` is looked at with
// that environment.
std::vector<Scenario> ScenariosAround(const std::vector<record::Process>& processes,
                                      const snapshot::Snapshot& snapshot, snapshot::FileView& view);

// Takes out the played scenarios of which an observed process shows all: a program or framework that was
// played to no CUDA library that the process did not meet itself.
void DropPlayedThatWasSeen(std::vector<Scenario>& scenarios);

// "python3 (pid 4711)"
std::string ProcessTitle(const record::Process& process);

}  // namespace culprit::loader
