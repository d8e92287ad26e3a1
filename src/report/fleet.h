// The result of `culprit fleet report`: what is wrong on which nodes, which nodes have the same stack, what
// is different on the odd ones, and who was not heard of.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/check.h"

namespace culprit::report {

// One fact by which nodes are compared: "driver", "580.95.05".
struct NodeFact {
  std::string what;
  std::string value;
  auto operator<=>(const NodeFact&) const = default;
};

// Names of facts that every node has, and that people ask for first.
inline constexpr std::string_view kSystemFact = "system", kDriverFact = "driver", kFirstGpuFact = "GPU 0";
// Names of facts about packages begin so.
inline constexpr std::string_view kPackageFacts = "package ";
// "libcudnn_ops.so.9 of cuDNN /usr/lib": what is not as the rest of that copy.
inline constexpr std::string_view kPartFacts = " of cuDNN ";

// The facts for which a brief had no room. Nobody knows whether there are such things.
struct LeftOut {
  bool any = false;
  std::string after;  // packages beyond this name; "": any fact
  bool Has(std::string_view what) const {
    return any && (after.empty() || (what.starts_with(kPackageFacts) && what > after));
  }
};

struct FleetFinding {
  std::string code, cause;
  Severity severity = Severity::kNote;
  std::string summary;  // of the first of the nodes, by name
  std::string subject;
  std::vector<std::string> nodes;
  bool varies = false;  // the summaries of other nodes differ, for example in a version
};

// A fact that is not as it should be. An empty value: there is no such thing.
struct FactDiffers {
  std::string what, value, expected;
  bool operator==(const FactDiffers&) const = default;
};

struct FleetGroup {
  std::vector<std::string> nodes;
  std::vector<NodeFact> stack;
  std::vector<FactDiffers> differs;  // from the largest group
  LeftOut left_out;
};

struct Outlier {
  std::string node;
  std::string group;  // a node of the group that it is compared with
  std::vector<FactDiffers> differs;
};

struct Unreachable {
  std::string node;
  std::string why;
};

// What a site's rule could not tell, and on which nodes.
struct FleetNotChecked {
  std::string what, why;
  std::vector<std::string> nodes;
};

// Facts of different versions of culprit may have different names.
struct FleetVersion {
  std::string version;
  std::vector<std::string> nodes;
};

struct FleetReport {
  Verdict verdict = Verdict::kUnknown;
  std::string headline;
  size_t nodes = 0;                    // that answered
  std::vector<FleetFinding> findings;  // worst first, then those of most nodes
  std::vector<FleetGroup> groups;      // largest first
  std::vector<Outlier> outliers;       // by name
  std::vector<std::string> unjudged;   // that answered, but could not see enough for a verdict
  std::vector<Unreachable> unreachable;
  std::vector<FleetNotChecked> not_checked{};  // by the rules of --policy
  std::vector<std::string> left_out{};         // whose briefs had no room for all facts
  std::vector<std::string> several{};          // of which different answers came; the latest counts
  std::vector<FleetVersion> versions{};        // of culprit, that answered
  std::string baseline;  // what all were compared with; "": each with the group nearest to it
};

}  // namespace culprit::report
