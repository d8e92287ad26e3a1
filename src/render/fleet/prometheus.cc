// A fleet for Prometheus: counts for all of it, and series for single nodes only if they have a problem, so
// that the number of series grows with the problems and not with the fleet.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "render/exposition.h"
#include "render/fleet/fleet.h"

namespace culprit::render {
namespace {

// The worst comes last.
enum class NodeState { kOk, kWarnings, kUnknown, kErrors, kUnreachable };
constexpr std::array<std::string_view, 5> WordsOf(NodeState) {
  return {"ok", "warnings", "unknown", "errors", "unreachable"};
}

// Of every node that is not kOk.
std::map<std::string, NodeState> StatesOf(const report::FleetReport& report) {
  std::map<std::string, NodeState> states;
  const auto at_least = [&](const std::string& node, NodeState state) {
    NodeState& is = states.try_emplace(node, state).first->second;
    is = std::max(is, state);
  };
  for (const report::FleetFinding& finding : report.findings) {
    if (finding.severity == report::Severity::kNote) continue;
    for (const std::string& node : finding.nodes)
      at_least(node,
               finding.severity == report::Severity::kError ? NodeState::kErrors : NodeState::kWarnings);
  }
  for (const std::string& node : report.unjudged) at_least(node, NodeState::kUnknown);
  for (const report::Unreachable& node : report.unreachable) at_least(node.node, NodeState::kUnreachable);
  return states;
}

void AddStates(const report::FleetReport& report, Exposition& metrics) {
  const auto states = StatesOf(report);
  std::map<NodeState, size_t> counts;
  for (const auto& [node, state] : states) ++counts[state];
  const size_t answered_not_well = states.size() - counts[NodeState::kUnreachable];
  counts[NodeState::kOk] = report.nodes - std::min(report.nodes, answered_not_well);
  metrics.Begin("culprit_fleet_nodes", "Nodes by state; the sum is all nodes that were asked.");
  for (const std::string_view word : WordsOf(NodeState{}))
    metrics.Add({{"state", word}}, static_cast<long long>(counts[*base::FromWord<NodeState>(word)]));
  metrics.Begin(
      "culprit_node_state",
      "1 for the state of a node. A node without a series here is ok, if culprit_series_left_out is 0.");
  for (const auto& [node, state] : states) metrics.Add({{"node", node}, {"state", base::Word(state)}}, 1);
}

void AddFleetFindings(const report::FleetReport& report, Exposition& metrics) {
  // A code may have several subjects, and a node more than one of them.
  std::map<std::tuple<report::Severity, std::string, std::string>, std::set<std::string>> nodes;
  for (const report::FleetFinding& finding : report.findings)
    nodes[{finding.severity, finding.code, finding.cause}].insert(finding.nodes.begin(), finding.nodes.end());
  metrics.Begin("culprit_fleet_findings", "Nodes with a finding of this code; see culprit explain CODE.");
  for (const auto& [key, hit] : nodes) {
    const auto& [severity, code, cause] = key;
    metrics.Add({{"code", code}, {"cause", cause}, {"severity", Name(severity)}},
                static_cast<long long>(hit.size()));
  }
  metrics.Begin("culprit_node_findings", "1 for each error and warning of a node.");
  for (const auto& [key, hit] : nodes) {
    const auto& [severity, code, cause] = key;
    if (severity == report::Severity::kNote) continue;
    for (const std::string& node : hit)
      metrics.Add({{"node", node}, {"code", code}, {"severity", Name(severity)}}, 1);
  }
}

}  // namespace

std::string ToPrometheus(const report::FleetReport& report, Moment now) {
  Exposition metrics;
  metrics.Time("culprit_fleet_report_timestamp_seconds", "Time at which this report was made.", now);
  metrics.Verdict(
      "culprit_fleet_verdict",
      "1 for the verdict of the fleet. \"unknown\": a node could not be judged or did not answer.",
      report.verdict);
  AddStates(report, metrics);
  AddFleetFindings(report, metrics);
  metrics.Single("culprit_fleet_stacks", "Number of different stacks on the nodes.",
                 static_cast<long long>(report.groups.size()));
  metrics.Single("culprit_fleet_odd_nodes", "Number of nodes that differ from the others.",
                 static_cast<long long>(report.outliers.size()));
  metrics.Begin("culprit_node_odd_facts", "Number of facts in which an odd node differs.");
  for (const report::Outlier& outlier : report.outliers)
    metrics.Add({{"node", outlier.node}}, static_cast<long long>(outlier.differs.size()));
  return metrics.Take();
}

}  // namespace culprit::render
