#include "fleet/merge.h"

#include <algorithm>
#include <functional>
#include <ranges>
#include <tuple>
#include <utility>

#include "base/node_set.h"
#include "fleet/site_rules.h"

namespace culprit::fleet {
namespace {

using report::FactDiffers;
using report::NodeFact;
using report::Severity;
using report::Verdict;

// A stack of more nodes than this part of the most frequent one is another kind of node; rarer ones are odd,
// and so is one of a single node where others have company.
constexpr size_t kUsualPart = 4;
// Where every node is different, each would be compared with all others.
constexpr size_t kMostCompared = 200;

size_t HashOf(const std::vector<NodeFact>& facts) {
  size_t hash = facts.size();
  const auto mix = [&](const std::string& text) {
    hash = (hash ^ std::hash<std::string>{}(text)) * size_t{0x100000001b3};
  };
  for (const NodeFact& fact : facts) {
    mix(fact.what);
    mix(fact.value);
  }
  return hash;
}

// How many facts are not the same.
size_t Distance(const std::vector<NodeFact>& a, const std::vector<NodeFact>& b) {
  return Differences(a, b).size();
}

void Conclude(report::FleetReport& report) {
  const size_t errors = NodesWith(report.findings, Severity::kError),
               warnings = NodesWith(report.findings, Severity::kWarning);
  report.verdict = errors > 0                                                ? Verdict::kErrors
                   : !report.unjudged.empty() || !report.unreachable.empty() ? Verdict::kUnknown
                   : warnings > 0 || !report.outliers.empty()                ? Verdict::kWarnings
                                                                             : Verdict::kOk;
  std::string words = Counted(report.nodes, "node", "nodes");
  if (errors > 0) words += "; errors on " + std::to_string(errors);
  if (!report.outliers.empty())
    words += "; " + Counted(report.outliers.size(), "differs", "differ") + " from the others";
  if (!report.unjudged.empty()) words += "; " + std::to_string(report.unjudged.size()) + " not judged";
  if (!report.unreachable.empty())
    words += "; nothing usable from " + std::to_string(report.unreachable.size());
  if (report.groups.size() > 1) words += "; " + std::to_string(report.groups.size()) + " different stacks";
  if (report.verdict == Verdict::kOk)
    words += report.groups.size() == 1 ? ": nothing wrong, and all alike" : "; nothing wrong";
  report.headline = std::move(words);
}

}  // namespace

std::string Counted(size_t count, const std::string& one, const std::string& several) {
  return std::to_string(count) + " " + (count == 1 ? one : several);
}

void SortFindings(std::vector<report::FleetFinding>& findings) {
  std::ranges::sort(findings, {}, [](const report::FleetFinding& finding) {
    return std::tuple(finding.severity, -static_cast<std::ptrdiff_t>(finding.nodes.size()),
                      std::string_view(finding.code), std::string_view(finding.subject),
                      std::string_view(finding.summary));
  });
}

size_t NodesWith(const std::vector<report::FleetFinding>& findings, Severity severity) {
  std::vector<std::string> nodes;
  for (const report::FleetFinding& finding : findings) {
    if (finding.severity == severity) nodes.insert(nodes.end(), finding.nodes.begin(), finding.nodes.end());
  }
  return base::SortedNodes(std::move(nodes)).size();
}

std::vector<FactDiffers> Differences(const std::vector<NodeFact>& is, const std::vector<NodeFact>& expected) {
  std::vector<FactDiffers> differ;
  auto a = is.begin(), b = expected.begin();
  while (a != is.end() || b != expected.end()) {
    const bool only_a = b == expected.end() || (a != is.end() && a->what < b->what);
    const bool only_b = !only_a && (a == is.end() || b->what < a->what);
    if (only_a) {
      differ.push_back({a->what, a->value, ""});
    } else if (only_b) {
      differ.push_back({b->what, "", b->value});
    } else if (a->value != b->value) {
      differ.push_back({a->what, a->value, b->value});
    }
    if (!only_b) ++a;
    if (!only_a) ++b;
  }
  return differ;
}

size_t Merge::StackOf(const Facts& facts) {
  const size_t hash = HashOf(facts);
  const auto [begin, end] = stack_by_hash_.equal_range(hash);
  for (auto at = begin; at != end; ++at) {
    if (stacks_[at->second] == facts) return at->second;
  }
  stacks_.push_back(facts);
  stack_by_hash_.emplace(hash, stacks_.size() - 1);
  return stacks_.size() - 1;
}

size_t Merge::FindingOf(const BriefFinding& finding) {
  const auto [at, added] = finding_by_name_.try_emplace(
      std::tuple(finding.code, finding.subject, finding.summary, finding.severity), findings_.size());
  if (added) findings_.push_back(finding);
  return at->second;
}

// Whatever comes first, the same one stays.
bool Merge::Later(const Node& a, const Node& b) const {
  if (a.error.empty() != b.error.empty() && a.taken == b.taken) return a.error.empty();
  const auto key = [&](const Node& node) {
    return std::tie(node.taken, stacks_[node.stack], node.verdict, node.error);
  };
  return key(b) < key(a);
}

void Merge::Add(const Brief& brief) {
  Node node{
      .taken = brief.taken, .stack = StackOf(brief.facts), .verdict = brief.verdict, .error = brief.error};
  node.left_out = brief.left_out > 0;
  for (const BriefFinding& finding : brief.findings) node.findings.push_back(FindingOf(finding));
  std::ranges::sort(node.findings);
  const auto [at, added] = nodes_.try_emplace(brief.node, node);
  if (!added && Later(node, at->second)) at->second = std::move(node);
}

void Merge::AddDamaged(const std::string& name, const std::string& why) { damaged_.emplace(name, why); }

std::optional<Brief> Merge::BriefOf(const std::string& node) const {
  const auto at = nodes_.find(node);
  if (at == nodes_.end() || !at->second.error.empty()) return std::nullopt;
  Brief brief;
  brief.node = node;
  brief.facts = stacks_[at->second.stack];
  return brief;
}

std::vector<Merge::Group> Merge::Groups() const {
  std::vector<Group> by_stack(stacks_.size());
  for (size_t i = 0; i < stacks_.size(); ++i) by_stack[i].facts = &stacks_[i];
  for (const auto& [name, node] : nodes_) {
    if (!node.error.empty()) continue;
    by_stack[node.stack].nodes.push_back(name);
    by_stack[node.stack].left_out |= node.left_out;
  }
  std::erase_if(by_stack, [](const Group& group) { return group.nodes.empty(); });
  std::ranges::sort(by_stack, [](const Group& a, const Group& b) {
    return a.nodes.size() != b.nodes.size() ? a.nodes.size() > b.nodes.size() : a.nodes < b.nodes;
  });
  return by_stack;
}

std::vector<report::FleetFinding> Merge::Findings() const {
  // What differs only in its words is one finding: numbers of processes and the like.
  std::map<std::pair<std::string, std::string>, report::FleetFinding> by_subject;
  for (const auto& [name, node] : nodes_) {
    for (const size_t i : node.findings) {
      const BriefFinding& found = findings_[i];
      report::FleetFinding& one = by_subject[{found.code, found.subject}];
      if (one.nodes.empty()) {
        one = {found.code, found.cause, found.severity, found.summary, found.subject, {}};
      }
      one.severity = std::min(one.severity, found.severity);
      if (one.nodes.empty() || one.nodes.back() != name) one.nodes.push_back(name);
    }
  }
  std::vector<report::FleetFinding> findings;
  for (auto& [name, finding] : by_subject) findings.push_back(std::move(finding));
  return findings;
}

report::FleetReport Merge::Report(const std::optional<Brief>& baseline, const policy::Policy* policy) const {
  report::FleetReport report;
  report.findings = Findings();
  const std::vector<Group> groups = Groups();
  const auto usual = [&](const Group& group) {
    const size_t most = groups.front().nodes.size();
    return group.nodes.size() * kUsualPart > most && (group.nodes.size() > 1 || most == 1);
  };
  const auto expected_of = [&](const Group& group) -> std::pair<const Facts*, std::string> {
    if (baseline) return {&baseline->facts, baseline->node};
    const Group* nearest = nullptr;
    size_t least = 0;
    for (const Group& other : groups | std::views::take(kMostCompared)) {  // the largest first
      if (!usual(other)) break;
      const size_t distance = Distance(*group.facts, *other.facts);
      if (nearest == nullptr || distance < least) nearest = &other, least = distance;
    }
    return {nearest->facts, nearest->nodes.front()};
  };
  for (const Group& group : groups) {
    report.nodes += group.nodes.size();
    const auto [expected, name] = expected_of(group);
    const auto differ = Differences(*group.facts, *expected);
    report.groups.push_back(
        {group.nodes, *group.facts, Differences(*group.facts, *groups.front().facts), group.left_out});
    if (differ.empty()) continue;
    for (const std::string& node : group.nodes) report.outliers.push_back({node, name, differ});
  }
  std::ranges::sort(report.outliers, {}, &report::Outlier::node);
  for (const auto& [name, node] : nodes_) {
    if (!node.error.empty()) {
      report.unreachable.push_back({name, node.error});
    } else if (node.verdict == Verdict::kUnknown) {
      report.unjudged.push_back(name);
    }
  }
  for (const auto& [file, why] : damaged_) report.unreachable.push_back({file, why});
  report.baseline = baseline ? baseline->node : "";
  if (policy != nullptr) AddSiteRules(*policy, report);
  SortFindings(report.findings);
  Conclude(report);
  return report;
}

}  // namespace culprit::fleet
