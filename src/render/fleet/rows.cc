#include "render/fleet/rows.h"

#include <algorithm>
#include <map>
#include <utility>

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

std::string InWords(const report::FactDiffers& differs) {
  if (differs.expected.empty()) return differs.what + ": " + differs.value + " (the others have none)";
  if (differs.value.empty()) return differs.what + ": none (the others: " + differs.expected + ")";
  return differs.what + ": " + differs.value + " (the others: " + differs.expected + ")";
}

}  // namespace culprit::render
