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

// A stack with more nodes than this part of the most frequent one is another kind of node; rarer ones are
// odd, and so is a single node if other stacks have several.
constexpr size_t kUsualPart = 4;
// Limits the work if every node is different: each would be compared with all others.
constexpr size_t kMostCompared = 200;

size_t HashOf(const Stack& stack) {
  size_t hash = 2 * stack.facts.size() + stack.left_out.any;
  const auto mix = [&](const std::string& text) {
    hash = (hash ^ std::hash<std::string>{}(text)) * size_t{0x100000001b3};
  };
  for (const NodeFact& fact : stack.facts) {
    mix(fact.what);
    mix(fact.value);
  }
  return hash;
}

// How many facts are not the same.
size_t Distance(const Stack& a, const Stack& b) { return Differences(a, b).size(); }

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
    words += "; " + Counted(report.outliers.size(), "differs", "differ") +
             (report.baseline.empty() ? " from the others" : " from the baseline");
  if (!report.unjudged.empty()) words += "; " + std::to_string(report.unjudged.size()) + " not judged";
  if (!report.unreachable.empty())
    words += "; no usable answer from " + std::to_string(report.unreachable.size());
  const auto others = std::ranges::count_if(
      report.groups, [](const report::FleetGroup& group) { return !group.differs.empty(); });
  if (others > 0) words += "; " + std::to_string(others + 1) + " different stacks";
  if (report.verdict == Verdict::kOk && others > 0) words += "; nothing wrong";
  if (report.verdict == Verdict::kOk && others == 0)
    words += std::string(": nothing wrong") + (report.nodes > 1 ? ", and all alike" : "") +
             (report.nodes > 1 && !report.left_out.empty() ? " in what they reported" : "");
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

Stack StackOf(const Brief& brief) {
  Stack stack{brief.facts, {.any = brief.left_out > 0, .after = ""}};
  for (const NodeFact& fact : stack.facts) {
    if (stack.left_out.any && fact.what.starts_with(report::kPackageFacts)) stack.left_out.after = fact.what;
  }
  return stack;
}

std::vector<FactDiffers> Differences(const Stack& is, const Stack& expected) {
  std::vector<FactDiffers> differ;
  auto a = is.facts.begin(), b = expected.facts.begin();
  while (a != is.facts.end() || b != expected.facts.end()) {
    const bool only_a = b == expected.facts.end() || (a != is.facts.end() && a->what < b->what);
    const bool only_b = !only_a && (a == is.facts.end() || b->what < a->what);
    if (only_a) {
      if (!expected.left_out.Has(a->what)) differ.push_back({a->what, a->value, ""});
    } else if (only_b) {
      if (!is.left_out.Has(b->what)) differ.push_back({b->what, "", b->value});
    } else if (a->value != b->value) {
      differ.push_back({a->what, a->value, b->value});
    }
    if (!only_b) ++a;
    if (!only_a) ++b;
  }
  return differ;
}

size_t Merge::PlaceOf(Stack stack) {
  const size_t hash = HashOf(stack);
  const auto [begin, end] = stack_by_hash_.equal_range(hash);
  for (auto at = begin; at != end; ++at) {
    const Stack& known = stacks_[at->second];
    if (known.facts == stack.facts && known.left_out.any == stack.left_out.any) return at->second;
  }
  stacks_.push_back(std::move(stack));
  stack_by_hash_.emplace(hash, stacks_.size() - 1);
  return stacks_.size() - 1;
}

size_t Merge::FindingOf(const BriefFinding& finding) {
  const auto [at, added] = finding_by_name_.try_emplace(
      std::tuple(finding.code, finding.subject, finding.summary, finding.severity), findings_.size());
  if (added) findings_.push_back(finding);
  return at->second;
}

// Keeps the same one in any order of arrival.
bool Merge::Later(const Node& a, const Node& b) const {
  if (a.error.empty() != b.error.empty() && a.taken == b.taken) return a.error.empty();
  const auto key = [&](const Node& node) {
    const Stack& stack = stacks_[node.stack];
    return std::tie(node.taken, stack.facts, stack.left_out.any, node.verdict, node.error, node.version);
  };
  return key(b) < key(a);
}

void Merge::Add(const Brief& brief) {
  Node node{.taken = brief.taken,
            .stack = PlaceOf(StackOf(brief)),
            .verdict = brief.verdict,
            .error = brief.error,
            .version = brief.version};
  for (const BriefFinding& finding : brief.findings) node.findings.push_back(FindingOf(finding));
  std::ranges::sort(node.findings);
  const auto [at, added] = nodes_.try_emplace(brief.node, node);
  if (added) return;
  const bool several = at->second.several ||
                       (node.error.empty() && at->second.error.empty() && node.stack != at->second.stack);
  if (Later(node, at->second)) at->second = std::move(node);
  at->second.several = several;
}

void Merge::AddDamaged(const std::string& name, const std::string& why) { damaged_.emplace(name, why); }

std::optional<Brief> Merge::BriefOf(const std::string& node) const {
  const auto at = nodes_.find(node);
  if (at == nodes_.end() || !at->second.error.empty()) return std::nullopt;
  Brief brief;
  const Stack& stack = stacks_[at->second.stack];
  brief.node = node;
  brief.facts = stack.facts;
  brief.left_out = stack.left_out.any ? 1 : 0;
  return brief;
}

std::vector<Merge::Group> Merge::Groups() const {
  std::vector<Group> by_stack(stacks_.size());
  for (size_t i = 0; i < stacks_.size(); ++i) by_stack[i].stack = &stacks_[i];
  for (const auto& [name, node] : nodes_) {
    if (node.error.empty()) by_stack[node.stack].nodes.push_back(name);
  }
  std::erase_if(by_stack, [](const Group& group) { return group.nodes.empty(); });
  std::ranges::sort(by_stack, [](const Group& a, const Group& b) {
    return a.nodes.size() != b.nodes.size() ? a.nodes.size() > b.nodes.size() : a.nodes < b.nodes;
  });
  return by_stack;
}

std::vector<report::FleetFinding> Merge::Findings() const {
  // Findings that differ only in details, such as process IDs, are one finding.
  std::map<std::pair<std::string, std::string>, report::FleetFinding> by_subject;
  for (const auto& [name, node] : nodes_) {
    for (const size_t i : node.findings) {
      const BriefFinding& found = findings_[i];
      report::FleetFinding& one = by_subject[{found.code, found.subject}];
      if (one.nodes.empty()) {
        one = {found.code, found.cause, found.severity, found.summary, found.subject, {}, false};
      }
      one.varies |= found.summary != one.summary;
      one.severity = std::min(one.severity, found.severity);
      if (one.nodes.empty() || one.nodes.back() != name) one.nodes.push_back(name);
    }
  }
  std::vector<report::FleetFinding> findings;
  for (auto& [name, finding] : by_subject) findings.push_back(std::move(finding));
  return findings;
}

bool Merge::LacksItsError(const Node& node) const {
  return node.verdict == Verdict::kErrors && std::ranges::none_of(node.findings, [&](size_t i) {
           return findings_[i].severity == Severity::kError;
         });
}

void Merge::AddNodes(report::FleetReport& report) const {
  std::map<std::string, std::vector<std::string>> versions;
  for (const auto& [name, node] : nodes_) {
    if (!node.error.empty()) {
      report.unreachable.push_back({name, node.error});
      continue;
    }
    if (node.verdict == Verdict::kUnknown || LacksItsError(node)) report.unjudged.push_back(name);
    if (stacks_[node.stack].left_out.any) report.left_out.push_back(name);
    if (node.several) report.several.push_back(name);
    versions[node.version].push_back(name);
  }
  for (const auto& [file, why] : damaged_) report.unreachable.push_back({file, why});
  for (auto& [version, nodes] : versions) report.versions.push_back({version, std::move(nodes)});
}

report::FleetReport Merge::Report(const std::optional<Brief>& baseline, const policy::Policy* policy) const {
  report::FleetReport report;
  report.findings = Findings();
  const std::vector<Group> groups = Groups();
  const auto usual = [&](const Group& group) {
    const size_t most = groups.front().nodes.size();
    return group.nodes.size() * kUsualPart > most && (group.nodes.size() > 1 || most == 1);
  };
  const Stack of_baseline = baseline ? StackOf(*baseline) : Stack();
  const auto expected_of = [&](const Group& group) -> std::pair<const Stack*, std::string> {
    if (baseline) return {&of_baseline, baseline->node};
    if (usual(group)) return {group.stack, group.nodes.front()};
    const Group* nearest = nullptr;
    size_t least = 0;
    for (const Group& other : groups | std::views::take(kMostCompared)) {  // the largest first
      if (!usual(other)) break;
      const size_t distance = Distance(*group.stack, *other.stack);
      if (nearest == nullptr || distance < least) nearest = &other, least = distance;
    }
    return {nearest->stack, nearest->nodes.front()};
  };
  for (const Group& group : groups) {
    report.nodes += group.nodes.size();
    const auto [expected, name] = expected_of(group);
    const auto differ = Differences(*group.stack, *expected);
    report.groups.push_back({group.nodes, group.stack->facts,
                             Differences(*group.stack, *groups.front().stack), group.stack->left_out});
    if (differ.empty()) continue;
    for (const std::string& node : group.nodes) report.outliers.push_back({node, name, differ});
  }
  std::ranges::sort(report.outliers, {}, &report::Outlier::node);
  AddNodes(report);
  report.baseline = baseline ? baseline->node : "";
  if (policy != nullptr) AddSiteRules(*policy, report);
  SortFindings(report.findings);
  Conclude(report);
  return report;
}

}  // namespace culprit::fleet
