// Runs a program under ptrace and records every path that it tried to open, for loaders without an audit
// interface. Works on any machine with Linux 5.3 or later.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "child.h"

namespace culprit::gold {

struct OpenCall {
  std::string path;
  size_t events = 0;  // size of Ran::events at that time: what the program had reported before
};

struct TracedRun {
  Ran ran;
  std::vector<OpenCall> opens;
};

// Like Spawn().
TracedRun SpawnTraced(const std::string& file, const std::string& name,
                      const std::vector<std::string>& arguments,
                      const std::map<std::string, std::string>& environment,
                      const std::string& working_directory);

}  // namespace culprit::gold
