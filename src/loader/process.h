// A modeled process after start-up, which can dlopen. Both loader models implement it, so that one piece of
// code replays the known dlopen calls of CUDA libraries.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loader/load_graph.h"

namespace culprit::loader {

class Process {
 public:
  virtual ~Process() = default;
  // dlopen(name) called by code of objects[caller]. Appends the request to the graph; true if it opened.
  // `flags` are those of LoadLibraryEx.
  virtual bool Dlopen(const std::string& name, size_t caller, uint32_t flags) = 0;
  // Windows: delay imports, which the DLL itself lists.
  virtual void FollowDelayImports() {}
  virtual void AddDllDirectory(const std::string& /*directory*/) {}
  virtual void PrependToPath(const std::string& /*directory*/) {}
  virtual LoadGraph& graph() = 0;
};

// One name of a dlopen call with several: the requests that it caused, the call itself first.
struct Try {
  size_t begin;
  size_t end;
};
// Of several names, one represents the call: the one that opened, otherwise the soname, otherwise the last.
void MarkAlternatives(std::vector<Request>& requests, const std::vector<Try>& tries, bool optional);

// Plays the calls that the strings of everything loaded tell (names_inside.cc).
void FollowNamesInside(Process& process, snapshot::FileView& view);

// Replays the edges of data/libraries.toml for everything loaded, and for what they load.
void FollowKnownDlopens(Process& process, snapshot::FileView& view);

}  // namespace culprit::loader
