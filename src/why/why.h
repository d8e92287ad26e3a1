// A load graph -> the answer: which file, why, and what else there is.
#pragma once

#include <string>

#include "loader/load.h"
#include "report/why.h"

namespace culprit::why {

report::LoadAnswer ExplainLoad(const loader::LoadGraph& graph, const snapshot::Snapshot& snapshot,
                               snapshot::FileView& view);

// `from` = the object that calls dlopen if the load itself does not request `library`; "" = the program. Asks
// the loader model, so it takes the question and not a graph.
report::LibraryAnswer ExplainLibrary(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                                     const loader::Question& question, const std::string& library,
                                     const std::string& from);

}  // namespace culprit::why
