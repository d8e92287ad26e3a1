// A load graph -> the answer: which file is loaded, why, and which other copies there are.
#pragma once

#include <string>

#include "loader/load.h"
#include "report/why.h"

namespace culprit::why {

report::LoadAnswer ExplainLoad(const loader::LoadGraph& graph, const snapshot::Snapshot& snapshot,
                               snapshot::FileView& view);

// `from`: the object that calls dlopen if nothing in the load asks for `library`; "" for the program. Runs
// the loader model itself, so it takes a question instead of a graph.
report::LibraryAnswer ExplainLibrary(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                                     const loader::Question& question, const std::string& library,
                                     const std::string& from);

}  // namespace culprit::why
