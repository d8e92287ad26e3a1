// Asks through ClusterShell. What it copies goes to each node by itself; on its standard input the program
// would wait in its memory once for each node.
#include <fmt/format.h>

#include <map>
#include <random>

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

constexpr int kLonger = 30;  // seconds that clush has besides those of a node

// "n003: ssh: connect to host n003 port 22: Connection refused": `line` is then what follows.
std::string TakeLabel(std::string_view& line) {
  const size_t colon = line.find(": ");
  if (colon == std::string_view::npos) return "";
  const std::string label(line.substr(0, colon));
  line.remove_prefix(colon + 2);
  return label;
}

// What a node complains of comes with its name; "clush: n[003-004]: exited with exit code 255" is of clush
// itself, and says less.
void TakeComplaintsOfClush(std::string_view errors, Answers& answers) {
  std::map<std::string, std::string> own;
  std::string_view line;
  while (base::NextLine(errors, line)) {
    std::string node = TakeLabel(line);
    if (node == "clush") {
      node = TakeLabel(line);
      const auto nodes = base::UnfoldNodes(node);
      if (!nodes) continue;
      for (const std::string& one : *nodes) {
        if (answers.Waits(one)) own[one] = base::Trim(line).substr(0, kLongestReason);
      }
    } else if (answers.Waits(node) && !base::Trim(line).empty()) {
      answers.Say(node, std::string(base::Trim(line).substr(0, kLongestReason)));
    }
  }
  for (const auto& [node, why] : own) answers.SayFirst(node, why);
}

// A name that nobody can guess, so that nobody can wait there with a file of the same name.
std::string UnguessedName() {
  std::random_device random;
  return fmt::format("/tmp/culprit.{:08x}{:08x}{:08x}", random(), random(), random());
}

std::vector<std::string> ClushWords(const FleetRun& run, const std::vector<std::string>& nodes) {
  std::vector<std::string> words = {
      "clush", "-w", base::FoldNodes(nodes),      "-f", std::to_string(kAtOnce), "-t",
      "10",    "-u", std::to_string(run.seconds), "-o", "-oBatchMode=yes"};
  words.insert(words.end(), run.words.begin(), run.words.end());
  return words;
}

}  // namespace

base::Result<std::vector<std::string>> NamedNodes(const FleetRun& run) {
  if (run.hosts.empty()) return std::vector<std::string>();
  std::string named = run.hosts;
  if (run.engine == FleetEngine::kClush && named.find('@') != std::string::npos) {
    const auto heard = RunTool("nodeset", {"-e", "-S", ",", named}, run.seconds);
    if (!heard) return std::unexpected(heard.error());
    if (heard->end.exit_status != 0 || heard->output.empty())
      return base::Fail(base::ErrorCode::kNotFound, ReasonOf(*heard, run.seconds));
    named = base::Trim(heard->output);
  }
  auto nodes = base::UnfoldNodes(named);
  if (!nodes) return nodes;
  return base::SortedNodes(*std::move(nodes));
}

base::Result<std::string> AskOverClush(const FleetRun& run, const std::vector<std::string>& nodes,
                                       const Carried& carried, Answers& answers) {
  Progress progress(!run.common.quiet);
  progress.Show(fmt::format("copying to {} nodes", nodes.size()));
  const std::string here = UnguessedName(), there = UnguessedName();
  std::vector<std::string> copy = ClushWords(run, nodes);
  copy.insert(copy.end(), {"--copy", here, "--dest", there});
  const auto copied =
      RunTool("sh",
              {"-c", "umask 077; trap 'rm -f " + here + "' EXIT; trap 'exit 1' HUP INT TERM; " +
                         carried.Printing() + " >" + here + " && " + base::ShellWords(copy)},
              run.seconds + kLonger);
  if (!copied) return std::unexpected(copied.error());
  TakeComplaintsOfClush(copied->errors, answers);
  progress.Show(fmt::format("asking {} nodes", nodes.size()));
  const std::string ask = "--pieces --node node " + base::ShellWords(run.ask);  // clush knows the name
  std::vector<std::string> words = ClushWords(run, nodes);
  words.push_back("exec sh -c " +
                  base::ShellWord("trap 'rm -f " + there + "' EXIT; sh -c " +
                                  base::ShellWord(carried.OnTheNode(ask, Supply::kStream)) + " <" + there));
  const auto heard = RunTool(words.front(), {words.begin() + 1, words.end()}, run.seconds + kLonger);
  if (!heard) return std::unexpected(heard.error());
  std::map<std::string, fleet::Pieces> of_node;  // by what clush calls it, whatever it calls itself
  std::string_view rest = heard->output, line;
  while (base::NextLine(rest, line)) {
    const std::string node = TakeLabel(line);
    if (answers.Waits(node)) of_node[node].Add(line);
  }
  for (auto& [node, pieces] : of_node) {
    for (const fleet::Pieces::Whole& whole : pieces.Take()) {
      if (!answers.Take(whole.line, node)) answers.Say(node, "its answer did not arrive whole");
    }
  }
  TakeComplaintsOfClush(heard->errors, answers);
  return ReasonOf(*heard, run.seconds);
}

}  // namespace culprit::cli
