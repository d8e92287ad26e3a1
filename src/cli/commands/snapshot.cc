// culprit snapshot -o FILE [TARGET...]
#include "snapshot/snapshot.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/deadline.h"
#include "cli/fleet/brief.h"
#include "cli/image/image_subject.h"
#include "cli/live.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/subject.h"
#include "collect/target.h"
#include "engine/record_machine.h"

namespace culprit::cli {
namespace {

constexpr int kSnapshotSeconds = 30;
constexpr int kSnapshotStepSeconds = 30;  // per step of the probe

struct SnapshotOptions {
  Options common;
  std::vector<std::string> targets;
  BriefWishes wishes;  // of --brief
  bool probed = false;
  bool brief = false;
};

int TakeSnapshot(const SnapshotOptions& given) {
  const Options& options = given.common;
  std::vector<std::string> targets = given.targets;
  std::optional<Deadline> deadline(std::in_place, TimeToOpen(options, std::chrono::seconds(kSnapshotSeconds)),
                                   Deadline::Guard::kAlways);
  auto opened = OpenMachine(options);
  if (!opened) return Fail(opened.error());
  Subject subject{.machine = std::move(*opened), .rooted = !options.root.empty()};
  for (std::string& target : targets) target = PathOnMachine(*subject.machine, target, options.root);
  // Records the programs of a build folder as if each had been named.
  std::erase_if(targets, [&](const std::string& target) {
    const auto kind = collect::ClassifyTarget(*subject.machine, target);
    const bool build = kind && kind->kind == collect::TargetKind::kBuildFolder;
    if (build) subject.builds.push_back(kind->path);
    return build;
  });
  auto looked_at = ForEngine(subject, {.common = options, .seconds = kSnapshotSeconds});
  if (!looked_at) return Fail(looked_at.error());
  deadline.reset();
  const auto progress = std::make_shared<Progress>(!options.quiet);
  std::unique_ptr<probe::Live> live;
  if (given.probed) {
    auto begun = BeginLive(*subject.machine, {}, kSnapshotStepSeconds, *progress);
    if (!begun) return Fail(begun.error());
    live = std::move(*begun);
  }
  engine::Diagnosis diagnosis(std::move(*looked_at));
  auto looked = given.brief ? diagnosis.LookAndPlay() : diagnosis.Look();
  if (!looked) return Fail(looked.error());
  if (live) {
    live->Continue(diagnosis.snapshot());
    diagnosis.AddProbe(live->Finish(), {});
  }
  if (given.brief) return WriteBrief(options, diagnosis, given.wishes);
  for (std::string& program : diagnosis.snapshot().stack.BuiltPrograms())
    targets.push_back(std::move(program));
  const auto snapshot = engine::RecordMachine(diagnosis, std::move(targets),
                                              [progress](const std::string& what) { progress->Show(what); });
  if (!snapshot) return Fail(snapshot.error());
  if (!WriteBytes(options, snapshot::ToJsonText(*snapshot))) return kExitCannot;
  if (!options.output.empty())
    Note(options, fmt::format("{} files recorded in {}", snapshot->files.nodes.size(), options.output));
  return kExitOk;
}

// The exit status to end with if they are wrong, or on --help.
std::optional<int> ReadOptions(int argc, const char* const* argv, SnapshotOptions& given) {
  Options& options = given.common;
  CommandLine app(
      "Saves this machine to one file. On any other machine, `culprit check FILE` and `culprit why "
      "--snapshot FILE` then give the same answers.",
      "culprit snapshot");
  app.Add("TARGET", given.targets,
          "programs, libraries or build folders to record with everything they load");
  app.Add("--live", given.probed, "also record the results of `culprit probe`; this runs code it finds");
  app.Add("--brief", given.brief, "only findings and the facts that `culprit fleet` compares, on one line");
  app.Add("--node", given.wishes.node, "the node name in --brief (default: the host name)", "NAME");
  app.Add("--pieces", given.wishes.pieces,
          "--brief in short lines, for launchers that mix the output of nodes");
  app.Add("--remove-self", given.wishes.remove_self,
          "with --pieces: delete this program at once, for launchers that copied it to the node");
  AddCommonOptions(app, options);
  app.Footer(
      "Recorded: the loaders, ld.so.cache, library directories and programs on PATH with the headers "
      "of\ntheir files, the usual places of CUDA and Python environments, and the variables that affect "
      "loading.\n"
      "Examples:\n"
      "  culprit snapshot -o machine.json\n"
      "  culprit snapshot -o machine.json ./train .venv/bin/python3\n"
      "  culprit snapshot -o machine.json --live\n"
      "  culprit snapshot --brief -o $(hostname).json");
  if (const auto status = app.Parse(argc, argv)) return status;
  if (!given.brief && (given.wishes.pieces || !given.wishes.node.empty()))
    return WrongUsage("snapshot", "--node and --pieces go with --brief");
  if (given.wishes.remove_self && !given.wishes.pieces)
    return WrongUsage("snapshot", "--remove-self goes with --pieces");
  if (given.probed && (!options.root.empty() || !options.env_file.empty()))
    return WrongUsage("snapshot",
                      "--live probes this machine in this shell; it cannot be used with --root or --env");
  return std::nullopt;
}

}  // namespace

int RunSnapshot(int argc, const char* const* argv) {
  SnapshotOptions given;
  if (const auto status = ReadOptions(argc, argv, given)) return *status;
  if (given.wishes.remove_self) BeginCarried(given.wishes);
  EndAtOnce(TakeSnapshot(given));
}

std::optional<int> WrongForNodes(const std::vector<std::string>& words, bool in_pods) {
  std::vector<const char*> texts = {"snapshot", "--brief", "--pieces"};
  for (const std::string& word : words) texts.push_back(word.c_str());
  SnapshotOptions given;
  if (const auto status = ReadOptions(static_cast<int>(texts.size()), texts.data(), given)) return status;
  const auto refuse = [](const std::string& why) { return WrongUsage("fleet", "run: " + why); };
  for (const std::string& target : given.targets) {
    if (!target.starts_with('/'))
      return refuse("'" + target +
                    "' is neither an option of culprit snapshot nor an absolute path on the nodes");
  }
  if (!given.common.output.empty())
    return refuse("write -o before --; after it, the answer would go to a file on the node");
  if (!given.wishes.node.empty() || given.wishes.remove_self)
    return refuse("--node and --remove-self cannot be passed to the nodes");
  if (given.probed && in_pods)
    return refuse("--live cannot be used with --kubernetes: a pod sees its node below /host, not its GPUs");
  return std::nullopt;
}

}  // namespace culprit::cli
