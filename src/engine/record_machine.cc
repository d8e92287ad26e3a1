#include "engine/record_machine.h"

#include <memory>
#include <utility>

#include "base/text.h"
#include "base/windows/path.h"
#include "collect/live_file_view.h"
#include "collect/look.h"
#include "collect/record.h"
#include "engine/check.h"
#include "loader/library_copies.h"
#include "loader/load.h"
#include "loader/scenario.h"

namespace culprit::engine {
namespace {

// Listing every directory of a large machine takes longer than looking at it.
constexpr int kPatience = 10;

// The variables that matter to loading.
void KeepRelevantEnvironment(snapshot::Snapshot& snapshot) {
  snapshot.environment = collect::RelevantEnvironment(snapshot.environment);
}

// The loaders and every file that was asked for so far, besides what the recorder has.
void KeepFiles(collect::Recorder& recorder, snapshot::Snapshot& snapshot) {
  for (const auto& loader : snapshot.loaders) recorder.AddPath(loader.path);
  recorder.AddAsked();
  snapshot.files = recorder.Take();
}

std::vector<std::string> ProgramDirectories(const snapshot::Snapshot& snapshot) {
  const auto path = snapshot.environment.find("PATH");
  const bool given = path != snapshot.environment.end();
  if (snapshot.windows() != nullptr) return base::SplitWindowsPath(given ? path->second : "");
  return base::SplitWords(given ? path->second : "/usr/bin:/bin", ":");
}

// Everything that this reads it owns: it may be abandoned.
struct Recording {
  std::shared_ptr<const system::System> machine;
  std::shared_ptr<collect::LiveFileView> view;
  std::vector<std::string> targets;
  std::function<void(const std::string&)> on_progress;

  base::Result<void> RecordTarget(const std::string& target, collect::Recorder& recorder,
                                  snapshot::Snapshot& snapshot) const {
    auto look = collect::LookAt(*machine, target);
    if (!look) return std::unexpected(look.error());
    collect::AddLoader(*machine, look->interpreter, snapshot);
    look->snapshot.environment = snapshot.environment;
    const auto graph =
        loader::Load(look->snapshot, *view, {.target = look->target, .interpreter = look->interpreter});
    for (const loader::Object& object : graph.objects) {
      recorder.AddDirectory(std::string(base::DirName(object.real_path)), /*programs=*/false);
      if (loader::LibraryOf(object) == nullptr) view->GpuCode(object.path);  // for `check --host` later
    }
    return {};
  }

  base::Result<snapshot::Snapshot> Record(snapshot::Snapshot snapshot) const {
    collect::Recorder recorder(*machine, *view);
    for (const std::string& target : targets) {
      on_progress("recording " + target);
      if (auto recorded = RecordTarget(target, recorder, snapshot); !recorded)
        return std::unexpected(recorded.error());
    }
    for (const std::string& directory : loader::LibraryDirectories(snapshot, *view)) {
      on_progress("recording " + directory);
      recorder.AddDirectory(directory, /*programs=*/false);
    }
    for (const std::string& directory : ProgramDirectories(snapshot)) {
      on_progress("recording " + directory);
      if (directory.starts_with('/')) recorder.AddDirectory(directory, /*programs=*/true);
    }
    // Everything that `check` asks of the files, so that the same can be asked of the snapshot.
    const auto scenarios = loader::PlayScenarios(snapshot, *view, {});
    Check({snapshot, *view, scenarios});
    KeepFiles(recorder, snapshot);
    return snapshot;
  }
};

}  // namespace

base::Result<snapshot::Snapshot> RecordMachine(Diagnosis& diagnosis, std::vector<std::string> targets,
                                               std::function<void(const std::string&)> on_progress) {
  diagnosis.Revise(KeepRelevantEnvironment);
  const auto limit = diagnosis.subject().limit * kPatience;
  auto recorded =
      diagnosis.AskInTime(limit, [recording = Recording{diagnosis.subject().machine, diagnosis.live_files(),
                                                        std::move(targets), std::move(on_progress)}](
                                     const rules::Scene& scene) { return recording.Record(scene.snapshot); });
  if (recorded) return std::move(*recorded);
  return base::Fail(base::ErrorCode::kNotReadable, diagnosis.NoAnswer(limit));
}

base::Result<void> KeepFilesOf(Diagnosis& diagnosis) {
  if (diagnosis.live_files() == nullptr) return {};
  // What a container starts need not be a program that can be loaded.
  std::vector<std::string> programs = diagnosis.subject().programs;
  std::erase_if(programs, [&](const std::string& program) {
    return !collect::LookAt(*diagnosis.subject().machine, program).has_value();
  });
  auto recorded = RecordMachine(diagnosis, std::move(programs), [](const std::string&) {});
  if (!recorded) return std::unexpected(recorded.error());
  diagnosis.Revise([&](snapshot::Snapshot& snapshot) { snapshot = *std::move(recorded); });
  diagnosis.AskInTime(std::chrono::milliseconds(0), [](const rules::Scene&) { return true; });
  return {};
}

snapshot::Snapshot RecordAsked(const Diagnosis& diagnosis) {
  snapshot::Snapshot snapshot = diagnosis.snapshot();
  KeepRelevantEnvironment(snapshot);
  if (const auto view = diagnosis.live_files()) {
    collect::Recorder recorder(*diagnosis.subject().machine, *view);
    KeepFiles(recorder, snapshot);
  }
  return snapshot;
}

}  // namespace culprit::engine
