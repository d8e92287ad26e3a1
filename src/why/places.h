// Places that a loader model looked at, as an answer names them.
#pragma once

#include <string>

#include "loader/load_graph.h"
#include "report/why.h"
#include "snapshot/snapshot.h"

namespace culprit::why {

// Paths in answers are absolute; the loader itself may have composed a relative one. "" stays "".
std::string Absolute(const snapshot::Snapshot& snapshot, const std::string& path);
report::Place PlaceOf(const loader::Attempt& attempt, const snapshot::Snapshot& snapshot);
// Sub-directories for CPU capabilities that do not exist are tried by the loader and interest nobody.
bool WorthShowing(const loader::Attempt& attempt);

}  // namespace culprit::why
