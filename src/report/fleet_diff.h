// The result of `culprit fleet diff`: what changed on which nodes of a fleet, and which nodes an update did
// not reach.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "report/fleet.h"

namespace culprit::report {

// An empty value: there is no such thing.
struct FactChange {
  std::string what, before, after;
  bool operator==(const FactChange&) const = default;
};

// Facts that changed on the same nodes.
struct FleetChange {
  std::vector<FactChange> facts;   // by name
  std::vector<std::string> nodes;  // by name
  // Nodes that have what `nodes` had before, and still have it. Named only where the change reached more
  // nodes than these: otherwise it is no update that they missed.
  std::vector<std::string> missed;
  size_t still = 0;  // how many have it, named or not
};

// Which of the two.
enum class FleetSide { kBefore, kAfter };
constexpr std::array<std::string_view, 2> WordsOf(FleetSide) { return {"before", "after"}; }
inline std::string_view Name(FleetSide side) { return base::Word(side); }

struct SilentNode {
  FleetSide side = FleetSide::kAfter;
  Unreachable node;
};

struct FleetDiffReport {
  Verdict verdict = Verdict::kUnknown;
  std::string headline;
  std::string before, after;                       // as the user named them
  size_t compared = 0;                             // nodes that answered on both sides
  size_t same = 0;                                 // of these, without any change
  std::vector<FleetChange> changes;                // those of most nodes first
  std::vector<FleetFinding> new_findings;          // worst first, then those of most nodes
  std::vector<FleetFinding> gone_findings;         // likewise
  std::vector<std::string> new_nodes, gone_nodes;  // that the other side does not know
  std::vector<std::string> unjudged;               // that answered in AFTER, without a verdict
  std::vector<SilentNode> unreachable;             // BEFORE first
  std::vector<std::string> left_out;               // compared, but a side had no room for all facts
};

}  // namespace culprit::report
