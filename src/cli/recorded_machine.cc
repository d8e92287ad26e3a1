#include "cli/recorded_machine.h"

#include <chrono>
#include <utility>

#include "cli/deadline.h"
#include "cli/image/image_subject.h"
#include "cli/subject.h"
#include "collect/target.h"
#include "snapshot/record/record_file.h"
#include "system/system.h"

namespace culprit::cli {
namespace {

constexpr int kRecordingSeconds = 30;

bool IsRootDirectory(const std::string& name) {
  const auto here = system::RealSystem();
  const auto target = collect::ClassifyTarget(*here, PathOnMachine(*here, name));
  return target && target->kind == collect::TargetKind::kRootFileSystem;
}

}  // namespace

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

base::Result<NamedMachine> FindNamedMachine(const std::string& name, const Options& options,
                                            const std::string& platform, const std::string& host) {
  std::optional<Deadline> deadline(std::in_place, std::chrono::seconds(kRecordingSeconds));
  const bool image = IsImage(name), root = IsRootDirectory(name);
  if (!image && !root) {
    auto recorded = ReadRecordedMachine(name);
    if (!recorded) return std::unexpected(recorded.error());
    auto known = std::make_shared<const snapshot::Snapshot>(std::move(recorded->snapshot));
    return NamedMachine{{.known = std::move(known), .host = host, .limit = std::chrono::milliseconds(0)},
                        std::move(recorded->run)};
  }
  deadline.reset();  // all of an image is read, which takes its time
  const auto subject =
      image ? ImageSubject(name, options, {.platform = platform}) : ChooseSubject(options, {name});
  if (!subject) return std::unexpected(subject.error());
  auto looked_at = ForEngine(*subject, {.common = options, .host = host, .seconds = kRecordingSeconds});
  if (!looked_at) return std::unexpected(looked_at.error());
  return NamedMachine{*std::move(looked_at), std::nullopt, subject->image};
}

}  // namespace culprit::cli
