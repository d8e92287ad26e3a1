// Many brief snapshots as one answer. They may come in any order, even twice; the answer is the same. Memory
// grows with the number of different stacks, and by a name and a few numbers for each node.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "fleet/brief.h"
#include "policy/policy.h"
#include "report/fleet.h"

namespace culprit::fleet {

// What a node reported.
struct Stack {
  std::vector<report::NodeFact> facts;  // sorted
  report::LeftOut left_out;
};
Stack StackOf(const Brief& brief);

class Merge {
 public:
  struct Node {
    std::string taken;
    size_t stack = 0;                // of stack()
    std::vector<size_t> findings{};  // of finding(), sorted
    report::Verdict verdict = report::Verdict::kUnknown;
    std::string error{};    // it did not answer
    std::string version{};  // of culprit
    bool several = false;   // briefs with different stacks came
  };
  using Nodes = std::map<std::string, Node>;

  // Of two brief snapshots of one node, the later counts.
  void Add(const Brief& brief);
  // A file that should be one; `name` stands for the node.
  void AddDamaged(const std::string& name, const std::string& why);

  // `baseline`: what all nodes are compared with; its facts come from a node or a file.
  // `policy`: the site's own rules; nullptr if it has none.
  report::FleetReport Report(const std::optional<Brief>& baseline,
                             const policy::Policy* policy = nullptr) const;
  // The stack of a node that was added.
  std::optional<Brief> BriefOf(const std::string& node) const;

  const Nodes& nodes() const { return nodes_; }
  const Stack& stack(size_t place) const { return stacks_[place]; }
  const BriefFinding& finding(size_t place) const { return findings_[place]; }
  const std::map<std::string, std::string>& damaged() const { return damaged_; }  // why, by file

 private:
  struct Group {
    const Stack* stack;
    std::vector<std::string> nodes{};
  };

  size_t PlaceOf(Stack stack);
  size_t FindingOf(const BriefFinding& finding);
  bool Later(const Node& a, const Node& b) const;
  // Its brief snapshot reports errors that did not fit into it.
  bool LacksItsError(const Node& node) const;
  std::vector<Group> Groups() const;
  std::vector<report::FleetFinding> Findings() const;
  // Remarks about nodes other than their stacks and findings.
  void AddNodes(report::FleetReport& report) const;

  Nodes nodes_;
  std::map<std::string, std::string> damaged_;  // by file
  std::deque<Stack> stacks_;
  std::unordered_multimap<size_t, size_t> stack_by_hash_;
  std::vector<BriefFinding> findings_;
  std::map<std::tuple<std::string, std::string, std::string, report::Severity>, size_t> finding_by_name_;
};

// "1 node", "2 nodes".
std::string Counted(size_t count, const std::string& one, const std::string& several);

// Worst first, then those of most nodes.
void SortFindings(std::vector<report::FleetFinding>& findings);
// On how many nodes there is a finding of this severity.
size_t NodesWith(const std::vector<report::FleetFinding>& findings, report::Severity severity);

// The differences. A fact that one side left out for lack of room is not a difference.
std::vector<report::FactDiffers> Differences(const Stack& is, const Stack& expected);

}  // namespace culprit::fleet
