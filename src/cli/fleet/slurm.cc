// Asks through Slurm, with one task a node.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
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

// "srun: error: n003: task 3: Killed" tells of a node, and so does "srun: error: REQUEST_FILE_BCAST(n003):
// Socket timed out on send/recv operation". Returns those that a copy did not reach.
std::set<std::string> TakeComplaintsOfSrun(std::string_view errors, Answers& answers) {
  constexpr std::string_view kError = "srun: error: ", kCopy = "REQUEST_FILE_BCAST(";
  std::set<std::string> unreached;
  std::string_view line;
  while (base::NextLine(errors, line)) {
    if (!line.starts_with(kError)) continue;
    line.remove_prefix(kError.size());
    const bool copy = line.starts_with(kCopy);
    if (copy) line.remove_prefix(kCopy.size());
    const std::string node(line.substr(0, line.find(copy ? ')' : ':')));
    if (!answers.Waits(node)) continue;
    if (copy) line.remove_prefix(std::min(node.size() + 3, line.size()));
    answers.Say(node, (copy ? "Slurm could not copy the program: " : "") +
                          std::string(line.substr(0, kLongestReason)));
    if (copy) unreached.insert(node);
  }
  return unreached;
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
  // Half the bytes, where Slurm can do that. The program has no libraries to copy, even if the site has that
  // enabled. An older srun has no options for these.
  words.insert(words.begin(), {"SLURM_COMPRESS=lz4", "SLURM_SEND_LIBS=no"});
  return RunTool("env", std::move(words), run.seconds, run.stop);
}

// A node that lacks the program, and what it reports.
struct Lacking {
  std::string node, machine;
  bool room = false;
  bool unreached = false;  // by a copy
};

struct Told {
  std::vector<Lacking> lacking;
  std::set<std::string> started;  // on which a copy did
  std::set<std::string> asked;    // all nodes of the step, folded
  std::set<std::string> unreached{};
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
  told.unreached = TakeComplaintsOfSrun(heard.errors, answers);
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

// For a shell there.
std::string RemovalOf(const std::string& place) { return "rm -f " + place + "; "; }

// Runs a copy of `program` on these nodes. `lacking` keeps those on which it did not start.
base::Result<void> AskCopy(const FleetRun& run, const std::string& program, const std::string& place,
                           const std::vector<std::string>& nodes, std::vector<Lacking>& lacking,
                           Answers& answers) {
  const auto heard = RunCopies(run, nodes, program, place);
  if (!heard) return std::unexpected(heard.error());
  for (const std::string& node : nodes) answers.Say(node, ReasonOf(*heard, run.seconds));
  const Told told = TakeStep(*heard, answers);
  std::erase_if(lacking, [&](const Lacking& one) { return told.started.contains(one.node); });
  for (Lacking& one : lacking) one.unreached |= heard->end.out_of_time || told.unreached.contains(one.node);
  if (run.stop.stop_requested() && told.started.size() < nodes.size())
    Note(run.common, fmt::format("{} may be left on {}", place, base::Printable(base::FoldNodes(nodes))));
  return {};
}

// Runs the copies, one kind of CPU at a time. Returns what nodes on which none started have to remove.
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
    left += RemovalOf(place);
    if (const auto copied = AskCopy(run, program, place, asked, lacking, answers); !copied)
      return std::unexpected(copied.error());
  }
  return left;
}

// Copies to all of them at once, and once more if some were not reached, as that ends it for all: the second
// copy is in the same place. Returns those that were not reached.
base::Result<std::vector<std::string>> AskAtOnce(const FleetRun& run, const std::string& program,
                                                 const std::string& place, std::vector<Lacking>& lacking,
                                                 Answers& answers) {
  Progress progress(!run.common.quiet);
  std::vector<std::string> apart;
  for (int round = 0; round < 2 && !lacking.empty() && !run.stop.stop_requested(); ++round) {
    progress.Show(fmt::format("sending the program to {} nodes", lacking.size()));
    if (const auto asked = AskCopy(run, program, place, NamesOf(lacking), lacking, answers); !asked)
      return std::unexpected(asked.error());
    const auto unreached = std::ranges::stable_partition(lacking, std::not_fn(&Lacking::unreached));
    for (const Lacking& one : unreached) apart.push_back(one.node);
    lacking.erase(unreached.begin(), unreached.end());
    if (unreached.empty()) break;
  }
  return apart;
}

// Three steps at most. What a task does not read of its standard input makes srun drop its output, and a node
// that never answers holds up all others that get a file or standard input. So the first step has neither,
// and only nodes that have just said that they lack the program are in the second, where Slurm copies it.
// Where that did not work (one full or missing directory ends it for all), or nothing may be started there,
// they get it on standard input. `before`: what the shells of the first step do first.
base::Result<std::string> AskInSteps(const FleetRun& run, const std::vector<std::string>& nodes,
                                     const Carried& carried, const std::string& before, Answers& answers) {
  Progress progress(!run.common.quiet);
  progress.Show("waiting for Slurm");
  auto heard = RunShells(run, nodes, carried, Supply::kFound, before);
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

}  // namespace

// Named nodes that hardly have the program get it at once: one step. Where it did not start, the careful
// steps follow. A node that the copy did not reach may be dead, and Slurm then starts no step with it, so
// each of those is asked by itself.
base::Result<std::string> AskOverSlurm(const FleetRun& run, const std::vector<std::string>& nodes,
                                       const Carried& carried, Answers& answers) {
  const std::string machine = carried.OnlyHere();
  if (machine.empty() || nodes.empty()) return AskInSteps(run, nodes, carried, "", answers);
  std::vector<Lacking> lacking;
  for (const std::string& node : nodes) lacking.push_back({node, machine, true});
  const std::string place = UnguessedName();
  const auto apart = AskAtOnce(run, carried.PathFor(machine), place, lacking, answers);
  if (!apart) return std::unexpected(apart.error());
  std::string reason = "no answer";
  const auto careful = [&](const std::vector<std::string>& some) -> base::Result<void> {
    if (some.empty() || run.stop.stop_requested()) return {};
    for (const std::string& node : some) answers.Say(node, "");
    auto asked = AskInSteps(run, some, carried, RemovalOf(place), answers);
    if (!asked) return std::unexpected(asked.error());
    reason = *std::move(asked);
    return {};
  };
  if (const auto done = careful(NamesOf(lacking)); !done) return std::unexpected(done.error());
  if (apart->size() > kAtOnce) {
    if (const auto done = careful(*apart); !done) return std::unexpected(done.error());
    return reason;
  }
  const auto ask = [&](const std::string& node) {
    return RunShells(run, {node}, carried, Supply::kStream, RemovalOf(place));
  };
  AskEach(run, *apart, ask, answers);
  return reason;
}

}  // namespace culprit::cli
