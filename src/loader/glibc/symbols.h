// Functions that a library in a Linux process requires from another one that does not have them.
#pragma once

#include "loader/load_graph.h"

namespace culprit::loader {

// Fills LoadGraph::missing_exports.
void FindMissingSymbols(LoadGraph& graph, snapshot::FileView& view);

}  // namespace culprit::loader
