// Functions that a library of a process of Linux asks of another one which does not have them.
#pragma once

#include "loader/load_graph.h"

namespace culprit::loader {

// Fills LoadGraph::missing_exports.
void FindMissingSymbols(LoadGraph& graph, snapshot::FileView& view);

}  // namespace culprit::loader
