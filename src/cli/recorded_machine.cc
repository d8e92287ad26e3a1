#include "cli/recorded_machine.h"

#include <chrono>
#include <utility>
#include <vector>

#include "cli/deadline.h"
#include "cli/image/image_subject.h"
#include "cli/subject.h"
#include "collect/look.h"
#include "collect/target.h"
#include "engine/record_machine.h"
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

base::Result<RecordedMachine> RecordSubject(const Subject& subject, const Options& options) {
  auto looked_at = ForEngine(subject, {.common = options, .seconds = kRecordingSeconds});
  if (!looked_at) return std::unexpected(looked_at.error());
  engine::Diagnosis diagnosis(*std::move(looked_at));
  if (auto looked = diagnosis.Look(); !looked) return std::unexpected(looked.error());
  // What a container starts need not be a program that can be loaded.
  std::vector<std::string> programs = subject.programs;
  std::erase_if(programs, [&](const std::string& program) {
    return !collect::LookAt(*subject.machine, program).has_value();
  });
  auto snapshot = engine::RecordMachine(diagnosis, std::move(programs), [](const std::string&) {});
  if (!snapshot) return std::unexpected(snapshot.error());
  return RecordedMachine{*std::move(snapshot), std::nullopt, subject.image};
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

base::Result<RecordedMachine> RecordNamed(const std::string& name, const Options& options,
                                          const std::string& platform) {
  const auto [image, root] = [&] {
    const Deadline deadline{std::chrono::seconds(kRecordingSeconds)};
    return std::pair(IsImage(name), IsRootDirectory(name));
  }();
  if (image) {
    const auto subject = ImageSubject(name, options, {.platform = platform});
    if (!subject) return std::unexpected(subject.error());
    return RecordSubject(*subject, options);
  }
  if (root) {
    const auto subject = ChooseSubject(options, {name});
    if (!subject) return std::unexpected(subject.error());
    return RecordSubject(*subject, options);
  }
  const Deadline deadline{std::chrono::seconds(kRecordingSeconds)};
  return ReadRecordedMachine(name);
}

}  // namespace culprit::cli
