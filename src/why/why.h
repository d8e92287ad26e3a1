// A load graph -> what a person asked: which file, why, and what else is there.
#pragma once

#include <string>

#include "loader/load.h"
#include "report/why.h"

namespace culprit::why {

report::LoadAnswer ExplainLoad(const loader::LoadGraph& graph, const snapshot::Snapshot& snapshot,
                               snapshot::FileView& view);

// `from` = the object whose dlopen is meant when the load itself does not ask for `library`; "" = the
// program. Puts the question to the loader model, so it takes the question and not a graph.
report::LibraryAnswer ExplainLibrary(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                                     const loader::Question& question, const std::string& library,
                                     const std::string& from);

}  // namespace culprit::why
