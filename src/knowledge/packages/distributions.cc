#include "knowledge/packages/distributions.h"

#include <algorithm>

namespace culprit::knowledge {

std::span<const Distribution> DistributionsOf(std::string_view package) {
  const std::span<const Distribution> all = Distributions();
  const auto found = std::ranges::equal_range(all, package, {}, &Distribution::package);
  return {found.begin(), found.end()};
}

std::span<const Distribution> DistributionsOf(std::string_view package, std::string_view version) {
  const std::span<const Distribution> all = DistributionsOf(package);
  const auto other = [&](const Distribution& row) { return row.version != version; };
  const auto first = std::ranges::find_if_not(all, other);
  return {first, std::find_if(first, all.end(), other)};
}

std::string_view KnowledgeDate() { return Harvests().back().date; }

}  // namespace culprit::knowledge
