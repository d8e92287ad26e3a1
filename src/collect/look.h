// Looking at one target on a machine: the snapshot of what decides about its loading, and a view of the
// files.
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

// `target` may be relative to the system's working directory, or "" for "any program of this machine". A
// target that is not there, not readable or no program of the machine is an error. `interpreter` overrides
// what the target says.
base::Result<Look> LookAt(const system::System& system, const std::string& target,
                          const std::string& interpreter = "");

// The same from a recorded snapshot, which must outlive the result. A target that was not recorded is an
// error.
base::Result<Look> LookInto(const snapshot::Snapshot& recorded, const std::string& target,
                            const std::string& interpreter = "");

// Looks as if the process had these variables (--env). `system` is nullptr for a recorded machine.
void UseEnvironment(const system::System* system, Variables variables, Look& look);

// The parts that do not depend on a target: environment, CPU, ld.so.cache, ld.so.preload; the facts of
// Windows.
snapshot::Snapshot LookAtMachine(const system::System& system);

// Adds the facts of a loader to the snapshot, unless they are there or no such file exists.
void AddLoader(const system::System& system, const std::string& path, snapshot::Snapshot& snapshot);
// A loader for another CPU than the snapshot's: only what every such CPU has can be counted on.
void AdaptCpu(snapshot::Snapshot& snapshot, snapshot::FileView& view, snapshot::LoaderFacts& loader);

}  // namespace culprit::collect
