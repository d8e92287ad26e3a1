// culprit snapshot -o FILE [TARGET...]
#include "snapshot/snapshot.h"

#include <fmt/format.h>

#include <chrono>

#include "base/product_version.h"
#include "base/text.h"
#include "base/windows_path.h"
#include "cli/command.h"
#include "cli/live.h"
#include "cli/machine_record.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "collect/linux/container.h"
#include "collect/linux/loader_facts.h"
#include "collect/live_file_view.h"
#include "collect/look.h"
#include "collect/look_at_stack.h"
#include "collect/record.h"
#include "engine/check.h"
#include "loader/library_copies.h"
#include "loader/load.h"
#include "loader/scenario.h"

namespace culprit::cli {
namespace {

constexpr std::chrono::seconds kSnapshotPatience(60);
constexpr int kFileSeconds = 30;  // that a step of the probe may take

// Everything that `check` asks of the files, so that the same can be asked of the snapshot.
void AskAsCheckDoes(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                    const std::vector<std::string>& programs) {
  const auto scenarios = loader::PlayScenarios(snapshot, view, programs);
  engine::Check({snapshot, view, scenarios});
}

std::vector<std::string> ProgramDirectories(const snapshot::Snapshot& snapshot) {
  const auto path = snapshot.environment.find("PATH");
  const bool given = path != snapshot.environment.end();
  if (snapshot.windows() != nullptr) return base::SplitWindowsPath(given ? path->second : "");
  return base::SplitWords(given ? path->second : "/usr/bin:/bin", ":");
}

}  // namespace

int RunSnapshot(int argc, const char* const* argv) {
  Options options;
  std::vector<std::string> targets;
  bool probed = false;
  CommandLine app(
      "Saves this machine to one file. On any other machine, `culprit check FILE` and `culprit why "
      "--snapshot FILE` then give the same answers.",
      "culprit snapshot");
  app.Add("TARGET", targets, "programs or libraries to record with everything they load");
  app.Add("--live", probed, "also record the results of `culprit probe`; this runs code it finds");
  AddCommonOptions(app, options);
  app.Footer(
      "Recorded: the loaders, ld.so.cache, library directories and programs on PATH with the headers "
      "of\ntheir files, the usual places of CUDA and Python environments, and the variables that affect "
      "loading.\n"
      "Examples:\n"
      "  culprit snapshot -o machine.json\n"
      "  culprit snapshot -o machine.json ./train .venv/bin/python3\n"
      "  culprit snapshot -o machine.json --live");
  if (const auto status = app.Parse(argc, argv)) return *status;
  const auto opened = OpenMachine(options);
  if (!opened) return Fail(opened.error());
  const system::System& machine = **opened;
  auto environment = ReadEnvironment(options);
  if (!environment) return Fail(environment.error());

  if (probed && (!options.root.empty() || !options.env_file.empty())) {
    fmt::print(stderr,
               "culprit snapshot: --live probes this machine in this shell; it cannot be used with --root or "
               "--env\n");
    return kExitUsage;
  }
  Progress progress(!options.quiet);
  std::unique_ptr<Live> live;
  if (probed) {
    auto begun = Live::Begin(machine, {}, kFileSeconds, progress);
    if (!begun) return Fail(begun.error());
    live = std::move(*begun);
  }
  const collect::Surroundings around{
      .system = machine,
      .environment = *environment ? std::move(**environment) : machine.Environment(),
      .working_directory = machine.WorkingDirectory(),
      .host_unseen = !options.root.empty() && !collect::ShowsItsKernel(machine)};
  auto seen = collect::LookAtStack(around, {}, kSnapshotPatience);
  snapshot::Snapshot& snapshot = seen.snapshot;
  snapshot.tool_version = base::ProductVersion();
  if (live) {
    live->Continue(snapshot);
    snapshot.stack.probe = snapshot::Fact<snapshot::ProbeFacts>::Of(live->Finish(), "culprit-probe");
  }
  KeepRelevantEnvironment(snapshot);
  collect::LiveFileView& view = *seen.view;
  collect::Recorder recorder(machine, view);
  for (const std::string& target : targets) {
    progress.Show("recording " + target);
    auto look = collect::LookAt(machine, PathOnMachine(machine, target));
    if (!look) return Fail(look.error());
    collect::AddLoader(machine, look->interpreter, snapshot);
    look->snapshot.environment = snapshot.environment;
    const auto graph =
        loader::Load(look->snapshot, view, {.target = look->target, .interpreter = look->interpreter});
    for (const loader::Object& object : graph.objects) {
      recorder.AddDirectory(std::string(base::DirName(object.real_path)), /*programs=*/false);
    }
  }
  const auto directories = loader::LibraryDirectories(snapshot, view);
  for (const std::string& directory : directories) {
    progress.Show("recording " + directory);
    recorder.AddDirectory(directory, /*programs=*/false);
  }
  for (const std::string& directory : ProgramDirectories(snapshot)) {
    progress.Show("recording " + directory);
    if (directory.starts_with('/')) recorder.AddDirectory(directory, /*programs=*/true);
  }
  AskAsCheckDoes(snapshot, view, {});
  KeepFiles(recorder, snapshot);
  if (!WriteBytes(options, snapshot::ToJsonText(snapshot))) return kExitCannot;
  if (!options.output.empty()) {
    Note(options, fmt::format("{} files recorded in {}", snapshot.files.nodes.size(), options.output));
  }
  return kExitOk;
}

}  // namespace culprit::cli
