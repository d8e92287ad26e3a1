#include "cli/fleet/fleet_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "base/lines.h"
#include "base/node_set.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/fleet/brief.h"
#include "cli/progress.h"
#include "fleet/brief.h"
#include "fleet/pieces.h"
#include "system/child.h"
#include "system/own_program.h"
#include "system/terminal_child.h"

namespace culprit::cli {
namespace {

constexpr size_t kAtOnce = 64;  // connections
constexpr size_t kMostHeard = size_t{1} << 30;
constexpr size_t kLongestReason = 300;

struct Heard {
  std::string output, errors;
  system::ChildEnd end{};
};

base::Result<Heard> RunTool(const std::string& program, std::vector<std::string> arguments, int seconds) {
  Heard heard;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  auto end = system::RunChild({.program = program, .arguments = std::move(arguments)},
                              {.on_output =
                                   [&](system::ChildStream stream, std::string_view text) {
                                     (stream == system::ChildStream::kOutput ? heard.output : heard.errors) +=
                                         text;
                                     return heard.output.size() + heard.errors.size() < kMostHeard;
                                   },
                               .deadline = [until] { return until; }});
  if (!end) return std::unexpected(end.error());
  heard.end = *end;
  return heard;
}

// The last line that says something.
std::string LastLine(std::string_view text) {
  std::string_view line, last;
  while (base::NextLine(text, line)) {
    if (!base::Trim(line).empty()) last = base::Trim(line);
  }
  return std::string(last.substr(0, kLongestReason));
}

// Why there is no brief in what was heard.
std::string ReasonOf(const Heard& heard, int seconds) {
  if (heard.end.out_of_time) return fmt::format("no answer within {} s", seconds);
  const std::string said = LastLine(heard.errors);
  if (!said.empty()) return said;
  return fmt::format("ended with status {} and said nothing", heard.end.exit_status);
}

// All nodes of one run, and where their files go.
class Answers {
 public:
  Answers(std::string folder, std::vector<std::string> nodes) : folder_(std::move(folder)) {
    for (std::string& node : nodes) missing_.emplace(std::move(node), "");
  }

  // False if the line is not a brief.
  bool Take(std::string_view line, const std::string& node) {
    auto brief = fleet::ReadBrief(base::Trim(line));
    if (!brief) return false;
    if (!node.empty()) brief->node = node;
    Write(*brief);
    ++answered_;
    missing_.erase(brief->node);
    return true;
  }
  void Say(const std::string& node, const std::string& why) { missing_[node] = why; }

  // Those that did not answer. Returns how many.
  size_t Finish(const std::string& otherwise) {
    for (const auto& [node, why] : missing_)
      Write({.node = node, .taken = TimeNow(), .error = why.empty() ? otherwise : why});
    return missing_.size();
  }
  size_t answered() const { return answered_; }
  bool written() const { return written_; }

 private:
  void Write(const fleet::Brief& brief) {
    std::string name = brief.node;
    std::ranges::replace_if(name, [](char c) { return c == '/' || c == '\0'; }, '_');
    if (name.starts_with('.')) name.insert(0, "_");
    Options file;
    file.output = folder_ + "/" + name + ".json";
    written_ &= WriteBytes(file, fleet::ToLine(brief) + "\n");
  }

  std::string folder_;
  std::map<std::string, std::string> missing_;  // and why
  size_t answered_ = 0;
  bool written_ = true;
};

// What a shell on the node does with the program that comes on its standard input.
std::string OnTheNode(const std::vector<std::string>& ask) {
  return "d=$(mktemp -d \"${TMPDIR:-/tmp}/culprit.XXXXXX\") && trap 'rm -rf \"$d\"' EXIT && cat "
         ">\"$d/culprit\" && chmod 700 \"$d/culprit\" && \"$d/culprit\" snapshot --brief " +
         base::ShellWords(ask);
}

// An engine that gives each node this program, on standard input.
base::Result<Heard> RunEngine(const char* engine, std::vector<std::string> words, int seconds) {
  words.insert(words.begin(), {"-c", "engine=$1 program=$2; shift 2; exec \"$engine\" \"$@\" <\"$program\"",
                               "sh", engine, system::OwnProgram()});
  return RunTool("/bin/sh", std::move(words), seconds);
}

void AskOverSsh(const FleetRun& run, const std::vector<std::string>& nodes, Answers& answers) {
  Progress progress(!run.common.quiet);
  std::mutex mutex;
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < nodes.size(); i = next++) {
      std::vector<std::string> words = {"-o", "BatchMode=yes", "-o", "ConnectTimeout=10"};
      words.insert(words.end(), run.words.begin(), run.words.end());
      std::vector<std::string> ask = run.ask;
      ask.insert(ask.begin(), {"--node", nodes[i]});
      words.insert(words.end(), {"--", nodes[i], OnTheNode(ask)});
      const auto heard = RunEngine("ssh", std::move(words), run.seconds);
      const std::lock_guard lock(mutex);
      if (!heard) {
        answers.Say(nodes[i], heard.error().message);
      } else if (!answers.Take(heard->output, nodes[i])) {
        answers.Say(nodes[i], ReasonOf(*heard, run.seconds));
      }
      progress.Show(fmt::format("{} of {} nodes answered", answers.answered(), nodes.size()));
    }
  };
  std::vector<std::jthread> threads;
  for (size_t i = 0; i < std::min(kAtOnce, nodes.size()); ++i) threads.emplace_back(work);
}

// "srun: error: n003: task 3: Killed" tells of a node.
void TakeComplaints(std::string_view errors, const std::vector<std::string>& nodes, Answers& answers) {
  constexpr std::string_view kError = "srun: error: ";
  std::string_view line;
  while (base::NextLine(errors, line)) {
    if (!line.starts_with(kError)) continue;
    line.remove_prefix(kError.size());
    const std::string node(line.substr(0, line.find(':')));
    if (std::ranges::find(nodes, node) != nodes.end())
      answers.Say(node, std::string(line.substr(0, kLongestReason)));
  }
}

// One step for all nodes.
base::Result<std::string> AskOverSlurm(const FleetRun& run, const std::vector<std::string>& nodes,
                                       Answers& answers) {
  Progress progress(!run.common.quiet);
  progress.Show("waiting for Slurm");
  std::vector<std::string> words = {"--ntasks-per-node=1", "--kill-on-bad-exit=0", "--wait=0"};
  if (!nodes.empty())
    words.insert(words.end(),
                 {"--nodelist=" + base::FoldNodes(nodes), "--nodes=" + std::to_string(nodes.size())});
  words.insert(words.end(), run.words.begin(), run.words.end());
  std::vector<std::string> ask = run.ask;
  ask.insert(ask.begin(), "--pieces");
  words.insert(words.end(), {"sh", "-c", OnTheNode(ask)});
  const auto heard = RunEngine("srun", std::move(words), run.seconds);
  if (!heard) return std::unexpected(heard.error());
  fleet::Pieces pieces;
  std::string_view rest = heard->output, text;
  while (base::NextLine(rest, text)) pieces.Add(text);
  TakeComplaints(heard->errors, nodes, answers);
  for (const fleet::Pieces::Whole& whole : pieces.Take()) {
    if (!answers.Take(whole.line, "")) answers.Say(whole.node, "its answer did not arrive whole");
  }
  return ReasonOf(*heard, run.seconds);
}

}  // namespace

int AskFleet(const FleetRun& run) {
  std::vector<std::string> nodes;
  if (!run.hosts.empty()) {
    auto named = base::UnfoldNodes(run.hosts);
    if (!named) return Fail(named.error());
    nodes = base::SortedNodes(*std::move(named));
  }
  const char* const tool = run.slurm ? "srun" : "ssh";
  if (system::FindCommand(tool).path.empty())
    return Fail({base::ErrorCode::kNotFound, std::string(tool) + " is not in PATH"});
  if (!MakeFolder(run.common.output))
    return Fail({base::ErrorCode::kNotReadable, base::Printable(run.common.output) + ": not a folder"});
  Answers answers(run.common.output, nodes);
  std::string otherwise = "no answer";
  if (run.slurm) {
    auto reason = AskOverSlurm(run, nodes, answers);
    if (!reason) return Fail(reason.error());
    otherwise = *std::move(reason);
  } else {
    AskOverSsh(run, nodes, answers);
  }
  const size_t silent = answers.Finish(otherwise);
  if (!answers.written()) return kExitCannot;
  if (answers.answered() + silent == 0)
    return Fail({base::ErrorCode::kNotFound, "no node answered: " + otherwise});
  Note(run.common, fmt::format("{} answered, {} did not; see culprit fleet report {}", answers.answered(),
                               silent, base::ShellWord(run.common.output)));
  return silent == 0 ? kExitOk : kExitCannot;
}

}  // namespace culprit::cli
