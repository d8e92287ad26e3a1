// What `run` reads before it starts the command. Everything has a time limit: if a file system on PATH, in
// LD_LIBRARY_PATH or below TMPDIR hangs, less can be watched, but the command starts within a second.
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
