// Functions that a library in a Linux process requires from another one that does not have them.
#pragma once

#include "loader/load_graph.h"

namespace culprit::loader {

// Functions that are required from a certain library. Adds to LoadGraph::missing_exports.
void FindMissingSymbols(LoadGraph& graph, snapshot::FileView& view);

// Which calls are bound when an object is loaded, not one by one when they are first made.
struct BoundAtLoad {
  bool all = false;           // LD_BIND_NOW, musl
  size_t begin = 0, end = 0;  // objects opened with RTLD_NOW
};
// Symbols that any object may define, and that none does. Adds to LoadGraph::missing_exports. Nothing is
// found in a process that has not loaded everything it needs: the symbol may be in what is missing.
void FindUndefinedSymbols(LoadGraph& graph, snapshot::FileView& view, const BoundAtLoad& bound);

}  // namespace culprit::loader
