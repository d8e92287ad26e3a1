// What the answers of `culprit fleet` have in common. Odd nodes that differ in the same way are told
// together.
#pragma once

#include <string>
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

// "driver: 570.86 (the others: 580.95)", "... (the others have none)".
std::string InWords(const report::FactDiffers& differs);
// "driver: 550.54 -> 580.95", "toolkit /opt/cuda: 13.0 is new", "... 12.4 is gone".
std::string InWords(const report::FactChange& change);
// "3 nodes are as before"; "" if none is.
std::string AreStill(const report::FleetChange& change);
// "n[001-003] (3)", safe for a terminal.
std::string FoldedNodes(const std::vector<std::string>& nodes);

base::Json FleetFindingJson(const report::FleetFinding& finding);

}  // namespace culprit::render
