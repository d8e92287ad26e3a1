#include "cli/snapshot_file.h"

#include <utility>

#include "cli/recorded_machine.h"

namespace culprit::cli {

base::Result<snapshot::Snapshot> ReadSnapshotFile(const std::string& file) {
  auto recorded = ReadRecordedMachine(file);
  if (!recorded) return std::unexpected(recorded.error());
  return std::move(recorded->snapshot);
}

}  // namespace culprit::cli
