// Reads a machine from a file: a snapshot, or the record of a run, which contains one.
#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "snapshot/record/run.h"
#include "snapshot/snapshot.h"

namespace culprit::cli {

struct RecordedMachine {
  snapshot::Snapshot snapshot;
  std::optional<record::Run> run;
};

base::Result<RecordedMachine> ReadRecordedMachine(const std::string& file);

}  // namespace culprit::cli
