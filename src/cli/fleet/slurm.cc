// Asks through Slurm, with one task a node.
#include <fmt/format.h>

#include <algorithm>

#include "base/lines.h"
#include "base/node_set.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "cli/fleet/engines.h"
#include "cli/progress.h"
#include "fleet/pieces.h"

namespace culprit::cli {
namespace {

// "srun: error: n003: task 3: Killed" tells of a node.
void TakeComplaintsOfSrun(std::string_view errors, Answers& answers) {
  constexpr std::string_view kError = "srun: error: ";
  std::string_view line;
  while (base::NextLine(errors, line)) {
    if (!line.starts_with(kError)) continue;
    line.remove_prefix(kError.size());
    const std::string node(line.substr(0, line.find(':')));
    if (answers.Waits(node)) answers.Say(node, std::string(line.substr(0, kLongestReason)));
  }
}

base::Result<Heard> RunStep(const FleetRun& run, const std::vector<std::string>& nodes,
                            const Carried& carried, Supply supply) {
  std::vector<std::string> words = {"srun", "--ntasks-per-node=1", "--kill-on-bad-exit=0", "--wait=0"};
  words.insert(words.end(), run.words.begin(), run.words.end());
  if (!nodes.empty())
    words.insert(words.end(),
                 {"--nodelist=" + base::FoldNodes(nodes), "--nodes=" + std::to_string(nodes.size())});
  if (supply == Supply::kFound) words.push_back("--input=none");
  const std::string ask = "--pieces --node \"$SLURMD_NODENAME\" " + base::ShellWords(run.ask);
  words.insert(words.end(), {"sh", "-c", carried.OnTheNode(ask, supply)});
  if (supply == Supply::kFound) return RunTool(words.front(), {words.begin() + 1, words.end()}, run.seconds);
  return RunTool("sh", {"-c", carried.Feeding(words)}, run.seconds);
}

// Returns the nodes that lack the program.
std::vector<std::string> TakeStep(const Heard& heard, Answers& answers) {
  std::vector<std::string> lacking;
  fleet::Pieces pieces;
  std::string_view rest = heard.output, line;
  while (base::NextLine(rest, line)) {
    const size_t mark = line.find(kLacking);
    if (!pieces.Add(line) && mark != std::string_view::npos)
      lacking.emplace_back(base::Trim(line.substr(mark + kLacking.size())));
  }
  TakeComplaintsOfSrun(heard.errors, answers);
  for (const fleet::Pieces::Whole& whole : pieces.Take()) {
    if (!answers.Take(whole.line, "")) answers.Say(whole.node, "its answer did not arrive whole");
  }
  return lacking;
}

}  // namespace

// Two steps at most. What a task does not read of its standard input makes srun drop its output, and a node
// that never answers holds up the standard input of all others. So the first step has none, and only nodes
// that have just said that they lack the program are in the second.
base::Result<std::string> AskOverSlurm(const FleetRun& run, const std::vector<std::string>& nodes,
                                       const Carried& carried, Answers& answers) {
  Progress progress(!run.common.quiet);
  progress.Show("waiting for Slurm");
  auto heard = RunStep(run, nodes, carried, Supply::kFound);
  if (!heard) return std::unexpected(heard.error());
  std::string reason = ReasonOf(*heard, run.seconds);
  const std::vector<std::string> lacking = TakeStep(*heard, answers);
  if (lacking.empty()) return reason;
  progress.Show(fmt::format("sending the program to {} nodes", lacking.size()));
  heard = RunStep(run, lacking, carried, Supply::kStream);
  if (!heard) return std::unexpected(heard.error());
  for (const std::string& node : lacking) answers.Say(node, ReasonOf(*heard, run.seconds));
  TakeStep(*heard, answers);
  return reason;
}

}  // namespace culprit::cli
