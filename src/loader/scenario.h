// A process that the user would start, played through the loader model: a program, or Python importing a
// framework and using its GPU side for the first time. Rules judge these, not directories: two copies of a
// library matter only where one process meets both.
#pragma once

#include <string>
#include <vector>

#include "loader/load.h"
#include "snapshot/snapshot.h"

namespace culprit::loader {

struct Scenario {
  enum class Kind {
    kAnyProgram,  // a program without run paths that opens the driver: which libcuda does this shell give?
    kProgram,     // a program or library that was given
    kFramework,   // Python of an environment imports a framework
  };
  Kind kind = Kind::kProgram;
  std::string title;  // "torch 2.11.0+cu130 in /opt/venv", "/usr/bin/train", "any program of this shell"
  size_t environment = kNone;  // index into snapshot.stack.environments
  size_t framework = kNone;    // index into that environment's frameworks
  LoadGraph graph;
};

// The scenarios of a machine: one for any program, one per target, one per framework of each environment.
std::vector<Scenario> PlayScenarios(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                                    const std::vector<std::string>& targets);

}  // namespace culprit::loader
