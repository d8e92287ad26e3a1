#include "knowledge/packages/distributions.h"

#include <algorithm>

namespace culprit::knowledge {

std::span<const Distribution> DistributionsOf(std::string_view package) {
  const std::span<const Distribution> all = Distributions();
  const auto found = std::ranges::equal_range(all, package, {}, &Distribution::package);
  return {found.begin(), found.end()};
}

std::string_view KnowledgeDate() { return Harvests().back().date; }

}  // namespace culprit::knowledge
