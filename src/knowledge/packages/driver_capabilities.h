// NVIDIA_DRIVER_CAPABILITIES: which parts of the host's driver a container gets. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace culprit::knowledge {

enum class DriverCapability { kCompute, kUtility, kVideo, kGraphics, kDisplay, kNgx, kCompat32 };

// A library of the driver that the runtime mounts, by the name that programs ask for.
struct CapabilityLibrary {
  std::string_view name;  // "libcuda.so.1"
  DriverCapability capability = DriverCapability::kCompute;
};
std::span<const CapabilityLibrary> CapabilityLibraries();

struct DriverCapabilities {
  std::vector<DriverCapability> given{};
  std::vector<std::string> unknown{};  // words that the runtime does not know: it refuses to start

  bool Has(DriverCapability capability) const;
};
// `value` of the variable; "" is the default, compute and utility.
DriverCapabilities ReadDriverCapabilities(std::string_view value);

}  // namespace culprit::knowledge
