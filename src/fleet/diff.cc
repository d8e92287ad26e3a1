#include "fleet/diff.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "base/node_set.h"

namespace culprit::fleet {
namespace {

using report::FactChange;
using report::FactDiffers;
using report::FleetChange;
using report::FleetDiffReport;
using report::FleetFinding;
using report::FleetSide;
using report::NodeFact;
using report::Severity;
using report::Verdict;

// Nodes whose stacks differ in more than this part of their facts are of different kinds: something new on
// one kind is not missing on the other.
constexpr size_t kOtherKind = 4;
constexpr size_t kMostStacks = 500;

// Nodes with the same stack before, and the same stack after.
struct Pair {
  const Stack* before;
  const Stack* after;
  std::vector<std::string> nodes{};
};

using Places = std::vector<size_t>;  // in the list of pairs, ascending

class Changes {
 public:
  explicit Changes(const std::vector<Pair>& pairs) : pairs_(pairs) {
    for (size_t i = 0; i < pairs.size(); ++i) {
      for (const FactDiffers& fact : Differences(*pairs[i].after, *pairs[i].before))
        changed_[{fact.what, fact.expected, fact.value}].push_back(i);
    }
    for (const auto& [key, places] : changed_) still_[{std::get<0>(key), std::get<1>(key)}];
    for (size_t i = 0; i < pairs.size(); ++i) FindStill(i);
  }

  // Facts that changed on the same nodes, and stayed on the same others, are reported together.
  std::vector<FleetChange> Take() const {
    std::map<std::pair<Places, Places>, FleetChange> together;
    for (const auto& [key, places] : changed_) {
      const auto& [what, before, after] = key;
      // Something new on one node is not missing on the others, which are more; with many stacks they are not
      // counted.
      Places still;
      if (!before.empty()) {
        still = still_.at({what, before});
      } else if (pairs_.size() <= kMostStacks || CountOf(places) > 1) {
        still = WithoutIt(what, places.front());
      }
      FleetChange& change = together[{places, still}];
      change.facts.push_back({what, before, after});
      if (change.facts.size() > 1) continue;
      change.nodes = NodesOf(places);
      change.still = CountOf(still);
      if (change.still < change.nodes.size()) change.missed = NodesOf(still);
    }
    std::vector<FleetChange> changes;
    for (auto& [key, change] : together) changes.push_back(std::move(change));
    std::ranges::sort(changes, [](const FleetChange& a, const FleetChange& b) {
      return a.nodes.size() != b.nodes.size()
                 ? a.nodes.size() > b.nodes.size()
                 : a.facts.front().what < b.facts.front().what ||
                       (a.facts.front().what == b.facts.front().what && a.nodes < b.nodes);
    });
    return changes;
  }

 private:
  // Nodes with the value from before a change, and with that value still.
  void FindStill(size_t place) {
    const std::vector<NodeFact>&before = pairs_[place].before->facts, &after = pairs_[place].after->facts;
    auto at = after.begin();
    for (const NodeFact& fact : before) {
      while (at != after.end() && at->what < fact.what) ++at;
      if (at == after.end() || at->what != fact.what || at->value != fact.value) continue;
      const auto found = still_.find({fact.what, fact.value});
      if (found != still_.end()) found->second.push_back(place);
    }
  }

  // Pairs without this fact on either side, of the same kind as the pair that got it.
  Places WithoutIt(const std::string& what, size_t got_it) const {
    const auto may_have = [&](const Stack& stack) {
      const auto at = std::ranges::lower_bound(stack.facts, what, {}, &NodeFact::what);
      return (at != stack.facts.end() && at->what == what) || stack.left_out.Has(what);
    };
    const Stack& model = *pairs_[got_it].before;
    Places places;
    for (size_t i = 0; i < pairs_.size(); ++i) {
      const Stack& stack = *pairs_[i].before;
      if (may_have(stack) || may_have(*pairs_[i].after)) continue;
      const size_t most = std::max(stack.facts.size(), model.facts.size());
      if (Differences(stack, model).size() * kOtherKind <= most) places.push_back(i);
    }
    return places;
  }

  size_t CountOf(const Places& places) const {
    size_t count = 0;
    for (const size_t i : places) count += pairs_[i].nodes.size();
    return count;
  }

  std::vector<std::string> NodesOf(const Places& places) const {
    std::vector<std::string> nodes;
    for (const size_t i : places) nodes.insert(nodes.end(), pairs_[i].nodes.begin(), pairs_[i].nodes.end());
    return base::SortedNodes(std::move(nodes));
  }

  const std::vector<Pair>& pairs_;                                               // those of most nodes first
  std::map<std::tuple<std::string, std::string, std::string>, Places> changed_;  // what, before, after
  std::map<std::pair<std::string, std::string>, Places> still_;                  // what, before
};

const Merge::Node* Answered(const Merge& fleet, const std::string& name) {
  const auto at = fleet.nodes().find(name);
  return at == fleet.nodes().end() || !at->second.error.empty() ? nullptr : &at->second;
}

std::vector<Pair> PairsOf(const Merge& before, const Merge& after) {
  std::map<std::pair<size_t, size_t>, Pair> by_stacks;
  for (const auto& [name, node] : before.nodes()) {
    const Merge::Node* now = Answered(after, name);
    if (!node.error.empty() || now == nullptr) continue;
    by_stacks.try_emplace({node.stack, now->stack}, Pair{&before.stack(node.stack), &after.stack(now->stack)})
        .first->second.nodes.push_back(name);
  }
  std::vector<Pair> pairs;
  for (auto& [stacks, pair] : by_stacks) pairs.push_back(std::move(pair));
  std::ranges::sort(pairs, [](const Pair& a, const Pair& b) {
    return a.nodes.size() != b.nodes.size() ? a.nodes.size() > b.nodes.size() : a.nodes < b.nodes;
  });
  return pairs;
}

// Findings are left out after all facts.
bool HadNoRoom(const Merge& fleet, const Merge::Node& node) {
  const Stack& stack = fleet.stack(node.stack);
  return stack.left_out.any && stack.facts.empty();
}

// The findings of `is` that `other` does not have on the same node. Those that got worse count, if `worse`.
std::vector<FleetFinding> FindingsOnlyIn(const Merge& is, const Merge& other, bool worse) {
  std::map<std::pair<std::string, std::string>, FleetFinding> by_subject;
  const auto same = [&](const BriefFinding& a, const BriefFinding& b) {
    return a.code == b.code && a.subject == b.subject && (!worse || b.severity <= a.severity);
  };
  for (const auto& [name, node] : is.nodes()) {
    const auto at = other.nodes().find(name);
    const bool silent =
        at != other.nodes().end() && (!at->second.error.empty() || HadNoRoom(other, at->second));
    // On a node that is missing, does not answer, or could not be judged, nothing counts as gone; on a node
    // that was not asked before, nothing counts as new.
    if (silent || (!worse && (at == other.nodes().end() || at->second.verdict == Verdict::kUnknown)))
      continue;
    for (const size_t i : node.findings) {
      const BriefFinding& found = is.finding(i);
      const bool known = at != other.nodes().end() &&
                         std::ranges::any_of(at->second.findings,
                                             [&](size_t place) { return same(found, other.finding(place)); });
      if (known) continue;
      FleetFinding& one = by_subject[{found.code, found.subject}];
      if (one.nodes.empty())
        one = {found.code, found.cause, found.severity, found.summary, found.subject, {}};
      one.severity = std::min(one.severity, found.severity);
      if (one.nodes.empty() || one.nodes.back() != name) one.nodes.push_back(name);
    }
  }
  std::vector<FleetFinding> findings;
  for (auto& [key, finding] : by_subject) findings.push_back(std::move(finding));
  SortFindings(findings);
  return findings;
}

std::vector<std::string> NodesOnlyIn(const Merge& is, const Merge& other) {
  std::vector<std::string> nodes;
  for (const auto& [name, node] : is.nodes()) {
    if (!other.nodes().contains(name)) nodes.push_back(name);
  }
  return base::SortedNodes(std::move(nodes));
}

void AddSilent(const Merge& fleet, FleetSide side, FleetDiffReport& report) {
  for (const auto& [name, node] : fleet.nodes()) {
    if (!node.error.empty()) report.unreachable.push_back({side, {name, node.error}});
  }
  for (const auto& [file, why] : fleet.damaged()) report.unreachable.push_back({side, {file, why}});
}

size_t NodesMissed(const std::vector<FleetChange>& changes) {
  std::vector<std::string> nodes;
  for (const FleetChange& change : changes)
    nodes.insert(nodes.end(), change.missed.begin(), change.missed.end());
  return base::SortedNodes(std::move(nodes)).size();
}

void Conclude(FleetDiffReport& report) {
  const size_t errors = NodesWith(report.new_findings, Severity::kError),
               warnings = NodesWith(report.new_findings, Severity::kWarning),
               missed = NodesMissed(report.changes),
               silent = static_cast<size_t>(std::ranges::count_if(
                   report.unreachable, [](const auto& one) { return one.side == FleetSide::kAfter; }));
  const bool doubts = silent > 0 || !report.unjudged.empty() || report.compared == 0;
  report.verdict = errors > 0                                                 ? Verdict::kErrors
                   : doubts                                                   ? Verdict::kUnknown
                   : warnings > 0 || missed > 0 || !report.gone_nodes.empty() ? Verdict::kWarnings
                                                                              : Verdict::kOk;
  std::string words = Counted(report.compared, "node", "nodes") + " compared";
  const size_t changed = report.compared - report.same;
  words += changed == 0 ? "; nothing changed" : "; " + Counted(changed, "changed", "changed");
  if (missed > 0) words += "; a change did not reach " + std::to_string(missed);
  if (errors > 0) words += "; new errors on " + std::to_string(errors);
  if (warnings > 0) words += "; new warnings on " + std::to_string(warnings);
  if (!report.new_nodes.empty()) words += "; " + std::to_string(report.new_nodes.size()) + " new";
  if (!report.gone_nodes.empty()) words += "; " + std::to_string(report.gone_nodes.size()) + " gone";
  if (!report.unjudged.empty()) words += "; " + std::to_string(report.unjudged.size()) + " not judged";
  if (silent > 0) words += "; no usable answer from " + std::to_string(silent);
  report.headline = std::move(words);
}

}  // namespace

FleetDiffReport Diff(const Merge& before, const Merge& after) {
  FleetDiffReport report;
  const std::vector<Pair> pairs = PairsOf(before, after);
  for (const Pair& pair : pairs) {
    report.compared += pair.nodes.size();
    if (Differences(*pair.after, *pair.before).empty()) report.same += pair.nodes.size();
    if (pair.before->left_out.any || pair.after->left_out.any)
      report.left_out.insert(report.left_out.end(), pair.nodes.begin(), pair.nodes.end());
  }
  report.left_out = base::SortedNodes(std::move(report.left_out));
  report.changes = Changes(pairs).Take();
  report.new_findings = FindingsOnlyIn(after, before, true);
  report.gone_findings = FindingsOnlyIn(before, after, false);
  report.new_nodes = NodesOnlyIn(after, before);
  report.gone_nodes = NodesOnlyIn(before, after);
  AddSilent(before, FleetSide::kBefore, report);
  AddSilent(after, FleetSide::kAfter, report);
  for (const auto& [name, node] : after.nodes()) {
    if (node.error.empty() && node.verdict == Verdict::kUnknown) report.unjudged.push_back(name);
  }
  report.unjudged = base::SortedNodes(std::move(report.unjudged));
  Conclude(report);
  return report;
}

}  // namespace culprit::fleet
