#include "cli/recorded_machine.h"

#include <utility>

#include "cli/options.h"
#include "snapshot/record/record_file.h"
#include "system/system.h"

namespace culprit::cli {

base::Result<RecordedMachine> ReadRecordedMachine(const std::string& file) {
  constexpr uint64_t kLimit = uint64_t{1} << 30;
  const auto here = system::RealSystem();
  const auto text = system::ReadWholeFile(*here, PathOnMachine(*here, file), kLimit);
  if (!text) {
    return base::Fail(base::ErrorCode::kNotReadable, file + ": " + std::string(base::Strerror(text.error())));
  }
  if (record::LooksLikeRecord(*text)) {
    auto record = record::ParseRecord(*text);
    if (!record) return base::Fail(record.error().code, file + ": " + record.error().message);
    return RecordedMachine{std::move(record->machine), std::move(record->run)};
  }
  auto snapshot = snapshot::ParseSnapshot(*text);
  if (!snapshot) return base::Fail(snapshot.error().code, file + ": " + snapshot.error().message);
  return RecordedMachine{std::move(*snapshot), std::nullopt};
}

}  // namespace culprit::cli
