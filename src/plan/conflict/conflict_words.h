// A conflict in words: the graph as indented lines, and the headline.
#pragma once

#include <string>
#include <vector>

#include "plan/commands/requirements.h"
#include "plan/conflict/conflict_graph.h"
#include "report/plan.h"

namespace culprit::plan {

std::vector<report::ConflictLine> LinesOf(const std::vector<ConflictNode>& graph);
// "nothing fits: torch>=2.4 and GPU sm_37 cannot hold together"
std::string ConflictHeadline(const std::vector<Requirement>& smallest);

}  // namespace culprit::plan
