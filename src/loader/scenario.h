// A process that the user would start, played through the loader model: a program, or Python importing a
// framework and using its GPU side for the first time; or a process that was seen (observed.h). Rules judge
// these, not directories: two copies of a library matter only where one process meets both.
#pragma once

#include <cstdint>
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
    kProcess,     // nothing was played: a process that runs, or that a run watched
  };
  Kind kind = Kind::kProgram;
  // "torch 2.11.0+cu130 in /opt/venv", "/usr/bin/train", "any program in this shell", "python3 (pid 4711)"
  std::string title;
  size_t environment = kNone;  // index into snapshot.stack.environments
  size_t framework = kNone;    // index into that environment's frameworks
  LoadGraph graph;

  // kProcess alone:
  int64_t process = 0;                    // its id
  std::vector<std::string> devices = {};  // nodes of NVIDIA's driver that it has mapped
  // Libraries that it has mapped whose files were removed or replaced since: nothing that the path shows
  // today is true of them, so they are not among the objects of the graph. Without ELF facts.
  std::vector<Object> replaced = {};

  bool WasSeen() const { return kind == Kind::kProcess; }
};

// The scenarios of a machine: one for any program, one per target, one per framework of each environment.
std::vector<Scenario> PlayScenarios(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                                    const std::vector<std::string>& targets);

}  // namespace culprit::loader
