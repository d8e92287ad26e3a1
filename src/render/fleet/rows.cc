#include "render/fleet/rows.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/json.h"
#include "base/text.h"

namespace culprit::render {

std::vector<OddNodes> Together(const std::vector<report::Outlier>& outliers) {
  using Key = std::pair<std::string, std::vector<std::string>>;
  std::map<Key, OddNodes> alike;
  for (const report::Outlier& outlier : outliers) {
    Key key{outlier.group, {}};
    for (const report::FactDiffers& fact : outlier.differs)
      key.second.insert(key.second.end(), {fact.what, fact.value, fact.expected});
    OddNodes& odd = alike[std::move(key)];
    odd.group = outlier.group;
    odd.differs = outlier.differs;
    odd.nodes.push_back(outlier.node);
  }
  std::vector<OddNodes> list;
  for (auto& [key, odd] : alike) list.push_back(std::move(odd));
  std::ranges::sort(list, [](const OddNodes& a, const OddNodes& b) {
    return std::pair(a.nodes.size(), a.nodes) < std::pair(b.nodes.size(), b.nodes);
  });
  return list;
}

std::string_view WhoseIsExpected(const report::FleetReport& report) {
  return report.baseline.empty() ? "the others" : "the baseline";
}

std::string InWords(const report::FactDiffers& differs, std::string_view whose) {
  const auto told = [](const std::string& value) { return value.empty() ? "none" : value; };
  return differs.what + ": " + told(differs.value) + " (" + std::string(whose) + ": " +
         told(differs.expected) + ")";
}

std::string InWords(const report::FactChange& change) {
  if (change.before.empty()) return change.what + ": " + change.after + " is new";
  if (change.after.empty()) return change.what + ": " + change.before + " is gone";
  return change.what + ": " + change.before + " -> " + change.after;
}

std::string AreStill(const report::FleetChange& change) {
  if (change.still == 0) return "";
  return std::to_string(change.still) + (change.still == 1 ? " node is unchanged" : " nodes are unchanged");
}

std::string FoldedNodes(const std::vector<std::string>& nodes) {
  return base::Printable(base::FoldNodes(nodes)) +
         (nodes.size() > 1 ? " (" + std::to_string(nodes.size()) + ")" : "");
}

std::string WhoseWords(const report::FleetFinding& finding) {
  return finding.varies ? "; shown as on " + finding.nodes.front() + ", details differ" : "";
}

base::Json FleetFindingJson(const report::FleetFinding& finding) {
  return {{"code", finding.code},       {"cause", finding.cause},     {"severity", Name(finding.severity)},
          {"summary", finding.summary}, {"subject", finding.subject}, {"nodes", finding.nodes}};
}

}  // namespace culprit::render
