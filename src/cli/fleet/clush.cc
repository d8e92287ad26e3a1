// Asks through ClusterShell, which copies the program to each node as a file; on its standard input, clush
// would keep one copy per node in memory.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/lines.h"
#include "base/node_set.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "cli/fleet/engines.h"
#include "cli/progress.h"
#include "fleet/pieces.h"
#include "system/own_program.h"

namespace culprit::cli {
namespace {

constexpr int kLonger = 30;         // seconds that clush has besides those of the nodes
constexpr int kRemoveSeconds = 20;  // for a node to remove what was copied

// "n003: ssh: connect to host n003 port 22: Connection refused": `line` is then what follows.
std::string TakeLabel(std::string_view& line) {
  const size_t colon = line.find(": ");
  if (colon == std::string_view::npos) return "";
  const std::string label(line.substr(0, colon));
  line.remove_prefix(colon + 2);
  return label;
}

// Rejects names that a tool could take for an option or for several words.
bool IsNodeName(const std::string& name) {
  constexpr size_t kLongest = 253;  // of DNS
  return name.size() <= kLongest && !name.starts_with('-') &&
         std::ranges::all_of(name, [](char c) { return static_cast<unsigned char>(c) > ' ' && c != 0x7f; });
}

// How it ended on nodes where it failed.
struct Ends {
  std::set<std::string> exited, timed_out;
  bool Has(const std::string& node) const { return exited.contains(node) || timed_out.contains(node); }
};

// Error messages of a node start with its name; "clush: n[003-004]: exited with exit code 255" and
// "clush: n005: command timeout" come from clush itself and say less.
Ends TakeComplaintsOfClush(std::string_view errors, Answers& answers) {
  Ends ends;
  std::map<std::string, std::string> own;
  std::string_view line;
  while (base::NextLine(errors, line)) {
    std::string node = TakeLabel(line);
    if (node == "clush") {
      node = TakeLabel(line);
      const auto nodes = base::UnfoldNodes(node);
      if (!nodes) continue;
      const bool in_time = base::Trim(line) != "command timeout";
      for (const std::string& one : *nodes) {
        if (!answers.Waits(one)) continue;
        (in_time ? ends.exited : ends.timed_out).insert(one);
        own[one] = base::Trim(line).substr(0, kLongestReason);
      }
    } else if (answers.Waits(node) && !base::Trim(line).empty()) {
      answers.Say(node, std::string(base::Trim(line).substr(0, kLongestReason)));
    }
  }
  for (const auto& [node, why] : own) answers.SayFirst(node, why);
  return ends;
}

// Runs clush on these nodes. Each has `seconds`; kAtOnce of them are asked at a time.
base::Result<Heard> Clush(const FleetRun& run, const std::vector<std::string>& nodes,
                          const std::vector<std::string>& what, int seconds, const std::stop_token& stop) {
  std::vector<std::string> words = {"-w", base::FoldNodes(nodes),  "-f", std::to_string(kAtOnce), "-t", "10",
                                    "-u", std::to_string(seconds), "-o", "-oBatchMode=yes"};
  words.insert(words.end(), run.words.begin(), run.words.end());
  words.insert(words.end(), what.begin(), what.end());
  const size_t rounds = (nodes.size() + kAtOnce - 1) / kAtOnce;
  return RunTool("clush", std::move(words), seconds * static_cast<int>(rounds) + kLonger, stop);
}

// Programs for several CPUs are sent as one file, which is removed with this object.
class Parcel {
 public:
  explicit Parcel(const Carried& carried) : path_(carried.OneFile()) {
    if (!path_.empty()) return;
    made_ = path_ = UnguessedName();
    const auto packed = RunTool("sh", {"-c", "umask 077; " + carried.Printing() + " >" + made_}, kLonger, {});
    if (!packed || packed->end.exit_status != 0)
      why_not_ = packed ? ReasonOf(*packed, kLonger) : packed.error().message;
  }
  ~Parcel() {
    std::error_code ignored;
    if (!made_.empty()) std::filesystem::remove(made_, ignored);
  }
  Parcel(const Parcel&) = delete;
  const std::string& path() const { return path_; }
  const std::string& why_not() const { return why_not_; }

 private:
  std::string path_, made_, why_not_;
};

// Puts what they say into `answers`.
void TakeAnswersOfClush(const Heard& heard, Answers& answers) {
  std::map<std::string, fleet::Pieces> of_node;  // by what clush calls it, whatever it calls itself
  std::string_view rest = heard.output, line;
  while (base::NextLine(rest, line)) {
    const std::string node = TakeLabel(line);
    if (answers.Waits(node)) of_node[node].Add(line);
  }
  for (auto& [node, pieces] : of_node) {
    for (const fleet::Pieces::Whole& whole : pieces.Take()) {
      if (!answers.Take(whole.line, node)) answers.Say(node, "its answer arrived incomplete");
    }
  }
}

// Nodes that answered have removed the file themselves. Asks the others to do so, even after an interruption;
// a second one ends this too.
void RemoveFrom(const FleetRun& run, const std::vector<std::string>& nodes, const std::string& there) {
  if (nodes.empty()) return;
  Answers removed("", nodes);
  const auto heard = Clush(run, nodes, {"rm -f " + there}, kRemoveSeconds, {});
  std::vector<std::string> left = nodes;
  if (heard && !heard->end.killed_here) {
    const Ends ends = TakeComplaintsOfClush(heard->errors, removed);
    std::erase_if(left, [&](const std::string& node) { return !ends.Has(node); });
  }
  if (!left.empty())
    Note(run.common, fmt::format("{} may be left on {}", there, base::Printable(base::FoldNodes(left))));
}

}  // namespace

base::Result<std::vector<std::string>> NamedNodes(const FleetRun& run) {
  if (run.hosts.empty()) return std::vector<std::string>();
  std::string named = run.hosts;
  if (run.engine == FleetEngine::kClush && named.find('@') != std::string::npos) {
    const auto heard = RunTool("nodeset", {"-e", "-S", ",", named}, run.seconds, run.stop);
    if (!heard) return std::unexpected(heard.error());
    if (heard->end.exit_status != 0 || heard->output.empty())
      return base::Fail(base::ErrorCode::kNotFound, ReasonOf(*heard, run.seconds));
    named = base::Trim(heard->output);
  }
  auto nodes = base::UnfoldNodes(named);
  if (!nodes) return nodes;
  for (const std::string& node : *nodes) {
    if (!IsNodeName(node))
      return base::Fail(base::ErrorCode::kBadFormat, "--hosts: '" + base::Printable(node) +
                                                         "' is not a node name; separate names with commas");
  }
  return base::SortedNodes(*std::move(nodes));
}

base::Result<std::string> AskOverClush(const FleetRun& run, const std::vector<std::string>& nodes,
                                       const Carried& carried, Answers& answers) {
  Progress progress(!run.common.quiet);
  progress.Show(fmt::format("copying to {} nodes", nodes.size()));
  const Parcel parcel(carried);
  if (!parcel.why_not().empty()) return base::Fail(base::ErrorCode::kNotReadable, parcel.why_not());
  const std::string there = UnguessedName();
  const auto copied = Clush(run, nodes, {"--copy", parcel.path(), "--dest", there}, run.seconds, run.stop);
  if (!copied) return std::unexpected(copied.error());
  const Ends not_copied = TakeComplaintsOfClush(copied->errors, answers);
  // Nodes with the file, or a part of it.
  std::vector<std::string> having, asked;
  for (const std::string& node : nodes) {
    if (!not_copied.exited.contains(node)) having.push_back(node);
    if (!not_copied.Has(node) && !copied->end.killed_here) asked.push_back(node);
  }
  std::string reason = ReasonOf(*copied, run.seconds);
  if (!asked.empty() && !run.stop.stop_requested()) {
    progress.Show(fmt::format("asking {} nodes", asked.size()));
    const std::string ask = "--pieces --node node " + base::ShellWords(run.ask);  // clush knows the name
    const auto heard =
        Clush(run, asked,
              {"exec sh -c " +
               base::ShellWord("trap 'rm -f " + there + "' EXIT; sh -c " +
                               base::ShellWord(carried.OnTheNode(ask, Supply::kStream, run.seconds)) + " <" +
                               there)},
              run.seconds, run.stop);
    if (heard) {
      TakeAnswersOfClush(*heard, answers);
      TakeComplaintsOfClush(heard->errors, answers);
    }
    reason = heard ? ReasonOf(*heard, run.seconds) : heard.error().message;
  }
  std::erase_if(having, [&](const std::string& node) { return !answers.Waits(node); });
  progress.Show(fmt::format("removing the program from {} nodes", having.size()));
  RemoveFrom(run, having, there);
  return reason;
}

}  // namespace culprit::cli
