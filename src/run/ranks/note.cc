// A run as one rank of a job: how it ended, what it loaded, what it was waiting in.
#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/product_version.h"
#include "base/text.h"
#include "knowledge/libraries.h"
#include "run/judge/parts.h"
#include "run/ranks/rank.h"
#include "snapshot/secrets/hide.h"

namespace culprit::ranks {
namespace {

using report::RankFactKind;

constexpr size_t kLongestValue = 400, kLongestText = 600, kMostLines = 6, kMostFacts = 120;

// Another rank is gone, or the network to it; explain's tables know the words.
constexpr std::array<std::string_view, 2> kOthersGone = {"ranks-lost", "network-between-ranks"};
constexpr std::string_view kCommunication = "communication";

std::string Short(std::string text, size_t most = kLongestText) {
  if (text.size() > most) text = text.substr(0, most) + " ...";
  return text;
}

bool IsOthersGone(std::string_view symptom) {
  return std::ranges::find(kOthersGone, symptom) != kOthersGone.end();
}

bool SaysOthersGone(const record::Run& run) {
  return std::ranges::any_of(run::ReadTexts(run).symptoms,
                             [](const logs::Symptom& symptom) { return IsOthersGone(symptom.kind()); });
}

// A variable that should be the same in all ranks.
bool IsShared(std::string_view name) {
  static constexpr std::array<std::string_view, 6> kPrefixes = {"NCCL_", "TORCH_NCCL_", "UCX_",
                                                                "FI_",   "GLOO_",       "CUDA_"};
  if (name == "CUDA_VISIBLE_DEVICES") return false;
  return name == "LD_LIBRARY_PATH" || name == "LD_PRELOAD" ||
         std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// Only a UUID names one GPU: with devices of its own (cgroups), each rank has a GPU 0.
std::string DeviceOf(const std::string& visible) {
  const bool one = visible.starts_with("GPU-") || visible.starts_with("MIG-");
  return one && visible.find(',') == std::string::npos ? visible.substr(0, kLongestValue) : "";
}

void Add(Rank& rank, Fact fact) {
  const bool known = std::ranges::any_of(
      rank.facts, [&](const Fact& other) { return other.kind == fact.kind && other.what == fact.what; });
  if (!known && rank.facts.size() < kMostFacts) rank.facts.push_back(std::move(fact));
}

// The CUDA libraries of all its processes; of one that is loaded twice the first.
void AddLibraries(const record::Run& run, snapshot::FileView& view, Rank& rank) {
  std::set<std::string> seen;
  for (const record::Process& process : run.processes) {
    for (const record::Loaded& loaded : process.loads) {
      const knowledge::Library* library = knowledge::FindLibrary(base::BaseName(loaded.path));
      if (library == nullptr || !seen.insert(loaded.path).second) continue;
      std::string version;
      if (!loaded.deleted) {
        if (const auto known = view.Version(loaded.path)) version = known->version;
      }
      Add(rank, {RankFactKind::kLibrary, std::string(library->title), version.substr(0, kLongestValue),
                 run::Shown(loaded.path, view).substr(0, kLongestValue)});
    }
  }
}

void AddOutput(const record::Run& run, Rank& rank) {
  for (const record::Text& text : run.texts) {
    if (text.name != record::Channel::kOutput) continue;
    NcclLines lines = ReadNcclLines(run::WholeText(text));
    if (!lines.version.empty()) Add(rank, {RankFactKind::kNccl, "NCCL version", lines.version, ""});
    if (!lines.network.empty()) Add(rank, {RankFactKind::kNccl, "NCCL network", lines.network, ""});
    rank.devices.insert(rank.devices.end(), lines.buses.begin(), lines.buses.end());
    // The last operation of a successful program is not a wait.
    if (run.failed()) rank.waits = std::move(lines.waits);
  }
}

void AddWaits(const record::Run& run, Rank& rank) {
  const std::vector<report::RunWait> waits = run::WaitsOf(run);
  if (waits.empty()) return;
  const report::RunWait& first = waits.front();
  // Slurm signals all processes of a step at once: a thread that was awake may just have been dying.
  const bool waited = std::ranges::any_of(run.threads, [](const record::Thread& thread) {
    return thread.thread == thread.process && !thread.system_call.empty();
  });
  if (!first.in_call && !waited) return;
  rank.waits.push_back({.kind = first.in_call ? report::WaitKind::kCall : report::WaitKind::kThread,
                        .what = Short(first.function, kLongestValue),
                        .milliseconds = static_cast<uint64_t>(first.seconds * 1000)});
}

}  // namespace

Rank BeginRank(const Job& job, std::string node, const std::map<std::string, std::string>& variables,
               uint64_t began) {
  Rank rank;
  rank.job = job.id;
  rank.node = std::move(node);
  rank.version = base::ProductVersion();
  rank.rank = job.rank;
  rank.size = job.size;
  rank.began = began;
  for (const auto& [name, value] : variables) {
    if (IsShared(name))
      Add(rank, {RankFactKind::kSetting, name.substr(0, kLongestValue),
                 Short(snapshot::HideVariable(name, value), kLongestValue), ""});
  }
  if (std::string device = DeviceOf(base::ValueOf(variables, "CUDA_VISIBLE_DEVICES")); !device.empty())
    rank.devices.push_back(std::move(device));
  std::ranges::sort(rank.facts);
  return rank;
}

void NoteEnd(const record::Run& run, uint64_t ended, bool done, snapshot::FileView& view, Rank& rank) {
  rank.state = done ? State::kDone : State::kEnded;
  rank.ended = ended;
  rank.exit_status = run.signal.empty() ? run.exit_status : 0;
  rank.signal = run.signal;
  rank.interrupted = run.interrupted;
  rank.lost_others = run.failed() && SaysOthersGone(run);
  AddOutput(run, rank);
  AddWaits(run, rank);
  AddLibraries(run, view, rank);
  std::ranges::sort(rank.facts);
}

void NoteReport(const report::RunReport& report, Rank& rank) {
  rank.state = State::kDone;
  report::RankFinding& finding = rank.finding;
  finding.headline = Short(report.headline);
  finding.last_words = Short(report.last_words);
  const bool gone = std::ranges::any_of(report.explanation.symptoms, [](const report::SeenSymptom& symptom) {
    return IsOthersGone(symptom.symptom);
  });
  if (report.explanation.causes.empty()) {
    rank.lost_others = gone;
    return;
  }
  const report::LikelyCause& cause = report.explanation.causes.front();
  rank.lost_others = gone && cause.cause == kCommunication;
  finding.cause = cause.cause;
  finding.code = cause.code;
  finding.because = Short(cause.because);
  for (const report::LogLine& line : cause.evidence) {
    if (finding.evidence.size() < kMostLines) finding.evidence.push_back(Short(line.text, kLongestValue));
  }
  finding.fix = Short(cause.fix);
  for (const std::string& command : report::Texts(cause.commands)) {
    if (command.size() <= kLongestText && finding.commands.size() < kMostLines)
      finding.commands.push_back(command);
  }
}

}  // namespace culprit::ranks
