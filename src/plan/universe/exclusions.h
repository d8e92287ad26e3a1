// Why candidates are excluded: releases with the same reason are grouped into a range. The step between the
// trace of narrow.h and text.
#pragma once

#include <string>
#include <vector>

#include "plan/universe/narrow.h"
#include "plan/universe/universe.h"

namespace culprit::plan {

struct Group {
  size_t package = 0;
  std::vector<size_t> candidates;  // rising; newest first as in the package
  std::string text;                // "no code for sm_61"
  std::string source;
  bool unknown = false;
  bool missing = false;
  size_t below = kNone;               // the package that explains it further: what is needed, or who pushed
  std::vector<size_t> below_accepts;  // candidates of `below` that would do
  bool pushed = false;
};

// Reasons for `candidates` of a package, in the order of their newest release; what a root does not ask for
// is left out.
std::vector<Group> GroupExclusions(const Universe& universe, const Narrowed& narrowed, size_t package,
                                   const std::vector<size_t>& candidates);

// "torch 2.6.0 to 2.15.0", "torch 2.7.0 and 2.7.1 (cu128)": builds are named where others of the same
// releases are not in the group.
std::string RangeWords(const Universe& universe, size_t package, std::vector<size_t> candidates);

}  // namespace culprit::plan
