#include "knowledge/packages/projects.h"

#include <algorithm>

namespace culprit::knowledge {

std::span<const ProjectWheels> WheelsOf(std::string_view package) {
  const auto found = std::ranges::equal_range(AllProjectWheels(), package, {}, &ProjectWheels::package);
  return {found.begin(), found.end()};
}

std::span<const ProjectNeeds> NeedsOf(std::string_view package) {
  const auto found = std::ranges::equal_range(AllProjectNeeds(), package, {}, &ProjectNeeds::package);
  return {found.begin(), found.end()};
}

}  // namespace culprit::knowledge
