// Places that a loader model searched, as an answer shows them.
#pragma once

#include <string>

#include "loader/load_graph.h"
#include "report/why.h"
#include "snapshot/snapshot.h"

namespace culprit::why {

// Paths in answers are absolute, even if the loader composed a relative one. "" stays "".
std::string Absolute(const snapshot::Snapshot& snapshot, const std::string& path);
report::Place PlaceOf(const loader::Attempt& attempt, const snapshot::Snapshot& snapshot);
// The loader tries subdirectories for CPU capabilities that do not exist; nobody wants to see those.
bool WorthShowing(const loader::Attempt& attempt);

}  // namespace culprit::why
