// What the texts of `culprit fleet` have in common: odd nodes that differ in the same way are told together.
#pragma once

#include <string>
#include <vector>

#include "base/node_set.h"
#include "report/fleet.h"

namespace culprit::render {

struct OddNodes {
  std::vector<std::string> nodes;
  std::string group;
  std::vector<report::FactDiffers> differs;
};

// Those of most nodes last: the odder, the earlier.
std::vector<OddNodes> Together(const std::vector<report::Outlier>& outliers);

// "2.11.0, not 2.10.0", "is missing (2.10.0)", "is there (2.11.0)".
std::string InWords(const report::FactDiffers& differs);

}  // namespace culprit::render
