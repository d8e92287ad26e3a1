// Why there is no solution, as a graph: a package without remaining candidates, the reasons for its
// candidates in groups, and below each the package that explains it further.
#pragma once

#include <string>
#include <vector>

#include "plan/universe/exclusions.h"
#include "plan/universe/narrow.h"
#include "plan/universe/universe.h"

namespace culprit::plan {

struct ConflictNode {
  std::string text;  // "torch 2.9.0 to 2.15.0: no code for sm_61"
  std::string source;
  bool unknown = false;
  std::vector<ConflictNode> below;
  bool operator==(const ConflictNode&) const = default;
};

// Of a universe without a solution.
std::vector<ConflictNode> GraphOf(const Universe& universe);
// Lines that say nothing new are dropped: a node that repeats the one above it, a second one like an earlier
// one, what is too deep to help.
std::vector<ConflictNode> Simplify(std::vector<ConflictNode> graph);

}  // namespace culprit::plan
