// A conflict in words: the graph as indented lines, and the headline.
#pragma once

#include <string>
#include <vector>

#include "plan/commands/requirements.h"
#include "plan/conflict/conflict_graph.h"
#include "report/plan.h"

namespace culprit::plan {

std::vector<report::ConflictLine> LinesOf(const std::vector<ConflictNode>& graph);
// "torch>=2.4 does not work with GPU sm_37"
std::string ConflictHeadline(const std::vector<Requirement>& smallest);

}  // namespace culprit::plan
