// A snapshot from a file that the user names: also that of the record of a run.
#pragma once

#include <string>

#include "base/error.h"
#include "snapshot/snapshot.h"

namespace culprit::cli {

base::Result<snapshot::Snapshot> ReadSnapshotFile(const std::string& file);

}  // namespace culprit::cli
