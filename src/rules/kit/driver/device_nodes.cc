#include "rules/kit/driver/device_nodes.h"

#include <algorithm>

namespace culprit::rules {

bool IsGpuNode(const snapshot::DeviceNode& node) {
  constexpr std::string_view kPrefix = "/dev/nvidia";
  const std::string_view path = node.path;
  return path.starts_with(kPrefix) && path.size() > kPrefix.size() &&
         path.find_first_not_of("0123456789", kPrefix.size()) == std::string_view::npos;
}

bool HasGpuNode(const snapshot::Driver& driver) {
  return driver.nodes && std::ranges::any_of(*driver.nodes, [](const snapshot::DeviceNode& node) {
           return !node.not_a_device && (IsGpuNode(node) || node.path == "/dev/dxg");
         });
}

}  // namespace culprit::rules
