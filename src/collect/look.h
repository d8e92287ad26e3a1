// Collects the facts about one target on a machine: a snapshot of what determines how it loads, and a view of
// the files.
#pragma once

#include <memory>
#include <string>

#include "base/error.h"
#include "collect/environment.h"
#include "snapshot/snapshot.h"
#include "system/system.h"

namespace culprit::collect {

struct Look {
  snapshot::Snapshot snapshot;               // without recorded files
  std::unique_ptr<snapshot::FileView> view;  // refers to the system
  std::string target;                        // absolute; "" when none was given
  std::string interpreter;                   // for loader::Question
};

// `target` may be relative to the system's working directory, or "" for "any program on this machine". It is
// an error if the target does not exist, cannot be read or is not a program for this machine. `interpreter`
// overrides what the target says.
base::Result<Look> LookAt(const system::System& system, const std::string& target,
                          const std::string& interpreter = "");

// The same from a recorded snapshot, which must outlive the result. Fails if the target was not recorded.
base::Result<Look> LookInto(const snapshot::Snapshot& recorded, const std::string& target,
                            const std::string& interpreter = "");

// Looks as if the process had these variables (--env). `system` is nullptr for a recorded machine.
void UseEnvironment(const system::System* system, Variables variables, Look& look);

// The parts that do not depend on a target: environment, CPU, ld.so.cache, ld.so.preload; the facts of
// Windows.
snapshot::Snapshot LookAtMachine(const system::System& system);

// Adds the facts of a loader to the snapshot, unless they are there or no such file exists.
void AddLoader(const system::System& system, const std::string& path, snapshot::Snapshot& snapshot);
// For a loader of another CPU than the snapshot's: assumes only what every such CPU has.
void AdaptCpu(snapshot::Snapshot& snapshot, snapshot::FileView& view, snapshot::LoaderFacts& loader);

}  // namespace culprit::collect
