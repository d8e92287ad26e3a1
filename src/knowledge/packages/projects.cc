#include "knowledge/packages/projects.h"

#include <algorithm>

#include "knowledge/packages/distributions.h"
#include "knowledge/packages/frameworks.h"
#include "knowledge/packages/pins.h"

namespace culprit::knowledge {

void UnpackPackages() {
  FrameworkReleases();
  AllProjectNeeds();
  Distributions();
  AllProjectWheels();
  Pins();
}

std::span<const ProjectWheels> WheelsOf(std::string_view package) {
  const auto found = std::ranges::equal_range(AllProjectWheels(), package, {}, &ProjectWheels::package);
  return {found.begin(), found.end()};
}

std::span<const ProjectNeeds> NeedsOf(std::string_view package) {
  const auto found = std::ranges::equal_range(AllProjectNeeds(), package, {}, &ProjectNeeds::package);
  return {found.begin(), found.end()};
}

}  // namespace culprit::knowledge
