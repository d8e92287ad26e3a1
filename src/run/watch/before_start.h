// What `run` looks at before it starts the command. All of it is bounded in time: a file system that never
// answers, on PATH, in LD_LIBRARY_PATH or below TMPDIR, costs what could have been watched, but the command
// starts within a second.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "run/watch/reach.h"
#include "run/watch/watch.h"
#include "run/watch/witnesses.h"
#include "system/terminal_child.h"

namespace culprit::watch {

struct Looked {
  system::FoundProgram found;
  Reach reach;
  std::vector<std::string> cupti;
};
Looked LookBeforeStart(const Machine& machine, const Request& request);

// Never null. `instead`: as for Witnesses.
std::shared_ptr<Witnesses> LayOut(const Machine& machine, const Request& request, const Looked& looked,
                                  const std::vector<record::Watched>& instead);

}  // namespace culprit::watch
