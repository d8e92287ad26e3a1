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
// Whether the tables know of every release that it does not work, or do not know of some.
enum class Certain { kYes, kNo };
std::string ConflictHeadline(const std::vector<Requirement>& smallest, Certain certain);

}  // namespace culprit::plan
