// See tree_run.h.
#include "tree_run.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "child.h"
#include "collect/live_file_view.h"
#include "collect/look.h"
#include "collect/record.h"
#include "loader/load.h"
#include "pool.h"
#include "snapshot/snapshot.h"
#include "system/system.h"

namespace culprit::gold {
namespace {

// What a worker sends: a verdict ('=' or '!'), the features ("name\tcount" lines), an empty line, the text.
std::string CompareOne(const TreeRun& run, const Options& options, const std::string& work_directory,
                       uint64_t seed, unsigned worker) {
  const Tree tree = GenerateTree(seed, run.loader.traits);
  const std::string root = options.keep.empty() ? work_directory + "/t" + std::to_string(worker)
                                                : options.keep + "/" + std::to_string(seed);
  RemoveTree(root);
  std::filesystem::create_directories(root);
  const Tree built = BuildTree(tree, run.templates, root);
  const Truth truth = run.ask_real(run.loader, built, root);
  std::string difference = truth.problem.empty() ? "" : "  harness: " + truth.problem + "\n";
  if (difference.empty()) {
    const bool with_snapshot = seed % 4 == 0;  // takes longer than everything else
    const Answers answers = AskModel(built, truth.calls, with_snapshot);
    difference = Difference(truth.transcript, run.read(answers.live, built, root));
    if (difference.empty() && with_snapshot) {
      difference = Difference(truth.transcript, run.read(answers.recorded, built, root));
      if (answers.recorded.uncertain) difference += "  the snapshot does not know enough\n";
      if (!difference.empty()) difference = "  asked of a snapshot:\n" + difference;
    }
  }
  if (options.keep.empty()) RemoveTree(root);

  auto features = tree.features;
  for (const std::string& line : truth.transcript.searches) {
    if (line.starts_with("  opened")) ++features["real: dlopen succeeds"];
    if (line.starts_with("  error")) ++features["real: dlopen fails"];
    if (line.starts_with("  same as")) ++features["real: same file under another name"];
    if (line.starts_with("search ")) ++features["real: search"];
    if (line.starts_with("  ") && line.find('/') != std::string::npos) {
      const std::string stage = line.substr(2, line.find(' ', 2) - 2);
      if (stage != "found" && stage != "opened" && stage != "same" && stage != "error")
        ++features["real: candidate by " + stage];
    }
  }
  for (const std::string& line : truth.transcript.loaded) {
    const size_t via = line.find(" via ");
    if (via != std::string::npos)
      ++features["real: loaded by " + line.substr(via + 5, line.find(' ', via + 5) - via - 5)];
  }
  for (const std::string& line : truth.transcript.messages) {
    if (line.starts_with("killed")) ++features["real: killed by a signal"];
    if (line.find("error while loading") != std::string::npos) ++features["real: start-up fails"];
    if (line.find("version `") != std::string::npos) ++features["real: version message"];
  }
  if (truth.transcript.messages.empty()) ++features["real: nothing to complain about"];
  std::string text = difference.empty() ? "=\n" : "!\n";
  for (const auto& [name, count] : features) text += name + "\t" + std::to_string(count) + "\n";
  text += "\n";
  if (!difference.empty()) text += Describe(tree) + "difference (- real loader, + model):\n" + difference;
  if (options.show) {
    for (const auto* lines : {&truth.transcript.searches, &truth.transcript.loaded,
                              &truth.transcript.messages, &truth.transcript.trace})
      for (const std::string& line : *lines) text += "  " + line + "\n";
  }
  return text;
}

}  // namespace

Answers AskModel(const Tree& tree, const std::vector<Call>& calls, bool with_snapshot) {
  const auto system = system::RealSystem();
  auto look = collect::LookAt(*system, StartPath(tree));
  if (!look) throw std::runtime_error("LookAt: " + look.error().message);
  snapshot::Snapshot& snapshot = look->snapshot;
  snapshot.environment = tree.environment;
  snapshot.working_directory = tree.working_directory;
  loader::Question question{.target = StartPath(tree), .target_as_given = tree.start, .known_dlopens = false};
  for (const Call& call : calls) question.calls.push_back({call.name, call.caller});
  Answers answers;
  answers.live = loader::Load(snapshot, *look->view, question);
  if (!with_snapshot) return answers;

  collect::Recorder recorder(*system, dynamic_cast<collect::LiveFileView&>(*look->view));
  recorder.AddAsked();
  snapshot.files = recorder.Take();
  const auto recorded = snapshot::ParseSnapshot(snapshot::ToJsonText(snapshot));
  if (!recorded) throw std::runtime_error("ParseSnapshot: " + recorded.error().message);
  const auto again = collect::LookInto(*recorded, StartPath(tree));
  if (!again) throw std::runtime_error("LookInto: " + again.error().message);
  answers.recorded = loader::Load(again->snapshot, *again->view, question);
  return answers;
}

int CompareTrees(const TreeRun& run, const Options& options, const std::string& work_directory) {
  std::map<std::string, std::pair<uint64_t, uint64_t>> features;  // trees that have it, occurrences
  uint64_t agree = 0, differ = 0;
  const auto begun = std::chrono::steady_clock::now();
  RunPool(
      options.seeds.size(), options.jobs,
      [&](uint64_t number, unsigned worker) {
        return CompareOne(run, options, work_directory, options.seeds[number], worker);
      },
      [&](const Piece& piece) {
        const size_t body = piece.text.find("\n\n");
        const bool agrees = !piece.crashed && piece.text.starts_with("=\n");
        ++(agrees ? agree : differ);
        if (body != std::string::npos) {
          for (const std::string& line : Lines(piece.text.substr(2, body - 2))) {
            const size_t tab = line.find('\t');
            if (tab == std::string::npos) continue;
            auto& [trees, occurrences] = features[line.substr(0, tab)];
            ++trees;
            occurrences += std::stoull(line.substr(tab + 1));
          }
        }
        const std::string text = body == std::string::npos ? piece.text : piece.text.substr(body + 2);
        if (agrees && !options.show) return;
        const auto seed = static_cast<unsigned long long>(options.seeds[piece.number]);
        std::printf("---- tree %llu %s (%s --seed %llu)\n%s", seed, agrees ? "agrees" : "differs",
                    run.program.c_str(), seed, text.c_str());
        std::fflush(stdout);
      });
  if (options.features) {
    std::printf("%-42s %10s %12s\n", "feature", "trees", "occurrences");
    for (const auto& [name, counts] : features)
      std::printf("%-42s %10llu %12llu\n", name.c_str(), static_cast<unsigned long long>(counts.first),
                  static_cast<unsigned long long>(counts.second));
  }
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun);
  std::printf("%.1f s\n", static_cast<double>(ms.count()) / 1000);
  std::printf("%llu trees agree, %llu differ\n", static_cast<unsigned long long>(agree),
              static_cast<unsigned long long>(differ));
  return differ == 0 ? 0 : 1;
}

}  // namespace culprit::gold
