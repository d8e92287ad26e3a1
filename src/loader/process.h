// A modelled process after start-up: it can be asked to dlopen. Both loader models implement it, so that the
// known dlopen calls of CUDA libraries are replayed by one piece of code.
#pragma once

#include <string>

#include "loader/load_graph.h"

namespace culprit::loader {

class Process {
 public:
  virtual ~Process() = default;
  // dlopen(name) called by code of objects[caller]. The request is appended to the graph; true if it opened.
  virtual bool Dlopen(const std::string& name, size_t caller) = 0;
  virtual LoadGraph& graph() = 0;
};

// Replays the edges of data/libraries.toml for everything loaded, and for what they bring in.
void FollowKnownDlopens(Process& process, snapshot::FileView& view);

}  // namespace culprit::loader
