#include "cli/snapshot_file.h"

#include "cli/options.h"
#include "system/system.h"

namespace culprit::cli {

base::Result<snapshot::Snapshot> ReadSnapshotFile(const std::string& file) {
  constexpr uint64_t kLimit = uint64_t{1} << 30;
  const auto machine = system::RealSystem();
  const auto text = system::ReadWholeFile(*machine, PathOnMachine(*machine, file), kLimit);
  if (!text) {
    return base::Fail(base::ErrorCode::kNotReadable, file + ": " + std::string(base::Strerror(text.error())));
  }
  auto snapshot = snapshot::ParseSnapshot(*text);
  if (!snapshot) return base::Fail(snapshot.error().code, file + ": " + snapshot.error().message);
  return snapshot;
}

}  // namespace culprit::cli
