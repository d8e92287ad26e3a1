// A process that the user would start, simulated by the loader model: a program, or Python importing a
// framework and using the GPU for the first time; or an observed process (observed.h). Rules judge these, not
// directories: two copies of a library matter only if one process meets both.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loader/load.h"
#include "snapshot/snapshot.h"

namespace culprit::loader {

struct Scenario {
  enum class Kind {
    kAnyProgram,  // a program without run paths that opens the driver: which libcuda does it get in this
                  // shell?
    kProgram,     // a given program or library
    kFramework,   // Python of an environment imports a framework
    kProcess,     // not simulated: a running process, or one that a run watched
  };
  Kind kind = Kind::kProgram;
  // "torch 2.11.0+cu130 in /opt/venv", "/usr/bin/train", "any program in this shell", "python3 (pid 4711)"
  std::string title;
  size_t environment = kNone;  // index into snapshot.stack.environments
  size_t framework = kNone;    // index into that environment's frameworks
  LoadGraph graph;

  // Only for kProcess:
  int64_t process = 0;                    // its id
  std::vector<std::string> devices = {};  // NVIDIA device nodes that it has open
  // Mapped libraries whose files were removed or replaced since. What is at the path today is another file,
  // so they are not among the objects of the graph. Without ELF facts.
  std::vector<Object> replaced = {};

  bool WasSeen() const { return kind == Kind::kProcess; }
};

// The scenarios of a machine: one for any program, one per target, one per framework of each environment.
std::vector<Scenario> PlayScenarios(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                                    const std::vector<std::string>& targets);

}  // namespace culprit::loader
