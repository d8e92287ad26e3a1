// The parts of observed.cc; observed.h says what an observed process is.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/libraries.h"
#include "loader/observed/observed.h"

namespace culprit::loader {

struct Seen {
  const record::Process& process;
  const snapshot::Snapshot& snapshot;
  snapshot::FileView& view;
  Scenario& scenario;
  std::map<std::string, size_t> objects = {};  // by path and real path, what is still loaded

  // kNone if it is not loaded; "" is the program.
  size_t Find(const std::string& path) const {
    if (path.empty()) return scenario.graph.objects.empty() ? kNone : 0;
    const auto found = objects.find(path);
    return found == objects.end() ? kNone : found->second;
  }
};

// search.cc: what requested each object and how it was found, if nobody saw it.
void ReconstructSearch(Seen& seen);
// The file whose RPATH or RUNPATH led from `requester` to `path`. Sets `via` to the right one of the two: the
// loader's audit interface does not tell them apart.
std::string RunPathOrigin(const LoadGraph& graph, size_t requester, const std::string& path, Via& via);

// failures.cc: the failed requests, with the loader's messages.
void AddFailures(Seen& seen);

// Whether code of `caller` opens a library of this name itself (data/libraries.toml), and whether it needs
// it.
struct KnownOpen {
  bool known = false;
  bool optional = true;
  std::vector<std::string> patterns;  // of the same call: one match is enough; '*' for placeholders
};
KnownOpen FindKnownOpen(std::span<const knowledge::DlopenEdge> edges, std::string_view name);
bool Matches(std::string_view pattern, std::string_view name);

}  // namespace culprit::loader
