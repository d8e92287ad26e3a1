// Functions that a library in a Linux process requires from another one that does not have them.
#pragma once

#include "loader/load_graph.h"

namespace culprit::loader {

// Functions that are required from a certain library. Adds to LoadGraph::missing_exports.
void FindMissingSymbols(LoadGraph& graph, snapshot::FileView& view);

// Symbols that any object may define, and that none does. Adds to LoadGraph::missing_exports. Nothing is
// found in a process that has not loaded everything it needs: the symbol may be in what is missing.
void FindUndefinedSymbols(LoadGraph& graph, snapshot::FileView& view);

}  // namespace culprit::loader
