// Asks through Slurm, with one task a node.
#include <fmt/format.h>

#include <map>
#include <set>

#include "base/lines.h"
#include "base/node_set.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "cli/fleet/brief.h"
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

// The words for `srun` that all steps begin with: one task on each of `nodes`, which get no standard input
// unless `fed`.
std::vector<std::string> StepWords(const FleetRun& run, const std::vector<std::string>& nodes, bool fed) {
  std::vector<std::string> words = {"srun", "--ntasks-per-node=1", "--kill-on-bad-exit=0", "--wait=0"};
  words.insert(words.end(), run.words.begin(), run.words.end());
  if (!nodes.empty())
    words.insert(words.end(),
                 {"--nodelist=" + base::FoldNodes(nodes), "--nodes=" + std::to_string(nodes.size())});
  if (!fed) words.push_back("--input=none");
  return words;
}

// Whom Slurm asked, said by each node in one line that srun does not mix with others.
constexpr std::string_view kAsked = "culprit-asked ";
constexpr size_t kLongestAsked = 800;

// `before`: what the shell there does first.
base::Result<Heard> RunShells(const FleetRun& run, const std::vector<std::string>& nodes,
                              const Carried& carried, Supply supply, const std::string& before = "") {
  std::vector<std::string> words = StepWords(run, nodes, supply != Supply::kFound);
  const std::string ask = "--pieces --node \"$SLURMD_NODENAME\" " + base::ShellWords(run.ask);
  const std::string say = fmt::format(
      "[ ${{#SLURM_STEP_NODELIST}} -gt {} ] || echo \"{}$SLURM_STEP_NODELIST\"; ", kLongestAsked, kAsked);
  words.insert(words.end(), {"sh", "-c", before + say + carried.OnTheNode(ask, supply, run.seconds)});
  if (supply == Supply::kFound)
    return RunTool(words.front(), {words.begin() + 1, words.end()}, run.seconds, run.stop);
  return RunTool("sh", {"-c", carried.Feeding(words)}, run.seconds, run.stop);
}

// Slurm copies the file from node to node, so the time hardly depends on the number of nodes.
base::Result<Heard> RunCopies(const FleetRun& run, const std::vector<std::string>& nodes,
                              const std::string& program, const std::string& place) {
  std::vector<std::string> words = StepWords(run, nodes, false);
  words.insert(words.end(),
               {"--bcast=" + place, program, "snapshot", "--brief", "--pieces", "--remove-self"});
  words.insert(words.end(), run.ask.begin(), run.ask.end());
  // A third fewer bytes, where Slurm can do that. The program has no libraries to copy, even if the site has
  // that enabled. An older srun has no options for these.
  words.insert(words.begin(), {"SLURM_COMPRESS=lz4", "SLURM_SEND_LIBS=no"});
  return RunTool("env", std::move(words), run.seconds, run.stop);
}

// A node that lacks the program, and what it reports.
struct Lacking {
  std::string node, machine;
  bool room = false;
};

struct Told {
  std::vector<Lacking> lacking;
  std::set<std::string> started;  // on which a copy did
  std::set<std::string> asked;    // all nodes of the step, folded
};

// "n003 x86_64 room"
Lacking ReadLacking(std::string_view words) {
  Lacking lacking;
  for (std::string* word : {&lacking.node, &lacking.machine}) {
    words = base::Trim(words);
    *word = words.substr(0, words.find(' '));
    words.remove_prefix(word->size());
  }
  lacking.room = base::Trim(words) == kRoom;
  return lacking;
}

void ExpectAll(const Told& told, Answers& answers) {
  for (const std::string& folded : told.asked) {
    if (folded.empty()) continue;
    const auto nodes = base::UnfoldNodes(folded);
    for (const std::string& node : nodes.value_or(std::vector<std::string>())) answers.Expect(node);
  }
}

Told TakeStep(const Heard& heard, Answers& answers) {
  Told told;
  fleet::Pieces pieces;
  std::string_view rest = heard.output, line;
  while (base::NextLine(rest, line)) {
    if (pieces.Add(line)) continue;
    if (const size_t at = line.find(kLacking); at != std::string_view::npos)
      told.lacking.push_back(ReadLacking(line.substr(at + kLacking.size())));
    if (const size_t at = line.find(kStarted); at != std::string_view::npos)
      told.started.emplace(base::Trim(line.substr(at + kStarted.size())));
    if (const size_t at = line.find(kAsked); at != std::string_view::npos)
      told.asked.emplace(base::Trim(line.substr(at + kAsked.size())));
  }
  ExpectAll(told, answers);
  TakeComplaintsOfSrun(heard.errors, answers);
  for (const fleet::Pieces::Whole& whole : pieces.Take()) {
    if (!answers.Take(whole.line, "")) answers.Say(whole.node, "its answer arrived incomplete");
  }
  return told;
}

std::vector<std::string> NamesOf(const std::vector<Lacking>& lacking) {
  std::vector<std::string> names;
  for (const Lacking& one : lacking) names.push_back(one.node);
  return names;
}

// Runs the copies, one kind of CPU at a time. `lacking` keeps the nodes on which none started. Returns what
// they have to remove.
base::Result<std::string> AskCopies(const FleetRun& run, const Carried& carried,
                                    std::vector<Lacking>& lacking, Answers& answers) {
  std::map<std::string, std::vector<std::string>> nodes;  // by CPU
  for (const Lacking& one : lacking) {
    if (one.room) nodes[carried.PathFor(one.machine)].push_back(one.node);
  }
  std::string left;
  for (const auto& [program, asked] : nodes) {
    if (program.empty() || run.stop.stop_requested()) continue;
    const std::string place = UnguessedName();
    left += "rm -f " + place + "; ";
    const auto heard = RunCopies(run, asked, program, place);
    if (!heard) return std::unexpected(heard.error());
    for (const std::string& node : asked) answers.Say(node, ReasonOf(*heard, run.seconds));
    const Told told = TakeStep(*heard, answers);
    std::erase_if(lacking, [&](const Lacking& one) { return told.started.contains(one.node); });
    if (run.stop.stop_requested() && told.started.size() < asked.size())
      Note(run.common, fmt::format("{} may be left on {}", place, base::Printable(base::FoldNodes(asked))));
  }
  return left;
}

}  // namespace

// Three steps at most. What a task does not read of its standard input makes srun drop its output, and a node
// that never answers holds up all others that get a file or standard input. So the first step has neither,
// and only nodes that have just said that they lack the program are in the second, where Slurm copies it.
// Where that did not work (one full or missing directory ends it for all), or nothing may be started there,
// they get it on standard input.
base::Result<std::string> AskOverSlurm(const FleetRun& run, const std::vector<std::string>& nodes,
                                       const Carried& carried, Answers& answers) {
  Progress progress(!run.common.quiet);
  progress.Show("waiting for Slurm");
  auto heard = RunShells(run, nodes, carried, Supply::kFound);
  if (!heard) return std::unexpected(heard.error());
  std::string reason = ReasonOf(*heard, run.seconds);
  std::vector<Lacking> lacking = TakeStep(*heard, answers).lacking;
  if (lacking.empty() || run.stop.stop_requested()) return reason;
  progress.Show(fmt::format("sending the program to {} nodes", lacking.size()));
  const auto left = AskCopies(run, carried, lacking, answers);
  if (!left) return std::unexpected(left.error());
  if (lacking.empty() || run.stop.stop_requested()) return reason;
  progress.Show(fmt::format("sending the program to {} nodes again", lacking.size()));
  heard = RunShells(run, NamesOf(lacking), carried, Supply::kStream, *left);
  if (!heard) return std::unexpected(heard.error());
  for (const Lacking& one : lacking) answers.Say(one.node, ReasonOf(*heard, run.seconds));
  TakeStep(*heard, answers);
  return reason;
}

}  // namespace culprit::cli
