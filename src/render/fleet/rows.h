// What the answers of `culprit fleet` have in common. Odd nodes that differ in the same way are listed
// together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/node_set.h"
#include "report/fleet.h"
#include "report/fleet_diff.h"

namespace culprit::render {

struct OddNodes {
  std::vector<std::string> nodes;
  std::string group;
  std::vector<report::FactDiffers> differs;
};

// Those of most nodes last: the odder, the earlier.
std::vector<OddNodes> Together(const std::vector<report::Outlier>& outliers);

// Whose values the odd nodes should have.
std::string_view WhoseIsExpected(const report::FleetReport& report);
// "driver: 570.86 (the others: 580.95)", "... (the others: none)".
std::string InWords(const report::FactDiffers& differs, std::string_view whose);
// "driver: 550.54 -> 580.95", "toolkit /opt/cuda: 13.0 is new", "... 12.4 is gone".
std::string InWords(const report::FactChange& change);
// "3 nodes are unchanged"; "" if none is.
std::string AreStill(const report::FleetChange& change);
// "n[001-003] (3)", safe for a terminal.
std::string FoldedNodes(const std::vector<std::string>& nodes);

// Why facts of a node may be missing from a comparison.
inline constexpr std::string_view kNoRoom = "facts are missing: a brief snapshot holds at most 64 kB";
// Why one node may have two answers.
inline constexpr std::string_view kSeveralAnswers =
    "different answers under one name; the latest is used. Do several nodes have this name?";
inline constexpr std::string_view kSeveralVersions =
    "answers from different versions of culprit; facts may have different names";

base::Json FleetFindingJson(const report::FleetFinding& finding);
// "; shown as on n01, details differ", if the text differs between nodes.
std::string WhoseWords(const report::FleetFinding& finding);

}  // namespace culprit::render
