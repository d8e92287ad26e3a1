// Parts of load graphs, as an answer names them.
#pragma once

#include <string>

#include "loader/load_graph.h"
#include "report/why.h"
#include "snapshot/file_view.h"
#include "snapshot/snapshot.h"

namespace culprit::why {

// Paths in answers are absolute, even where the loader used a relative one. "" stays "".
std::string Absolute(const snapshot::Snapshot& snapshot, const std::string& path);
report::Place PlaceOf(const loader::Attempt& attempt, const snapshot::Snapshot& snapshot);
// The loader tries many hwcaps directories; those that do not exist are of no interest.
bool WorthShowing(const loader::Attempt& attempt);

report::LibraryVersion VersionOf(snapshot::FileView& view, const std::string& path);
base::Opened Shown(loader::OpenedBy opened_by);
std::string RequesterOf(const loader::LoadGraph& graph, const snapshot::Snapshot& snapshot,
                        const loader::Request& request);
// What a request did not get.
report::MissingLibrary MissingOf(const loader::LoadGraph& graph, const snapshot::Snapshot& snapshot,
                                 const loader::Request& request);
std::vector<report::MissingFunction> MissingFunctions(const loader::LoadGraph& graph);

}  // namespace culprit::why
