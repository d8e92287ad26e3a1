// The words and the default are those of NVIDIA/nvidia-container-toolkit@d34b3046
// (internal/config/image/capabilities.go, cmd/nvidia-container-runtime-hook/container_config.go), the
// libraries those of NVIDIA/libnvidia-container (src/nvc_info.c). Those whose name contains the version of
// the driver are needed by these alone and left out.
#include "knowledge/packages/driver_capabilities.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace culprit::knowledge {
namespace {

using enum DriverCapability;

constexpr auto kCapabilityWords =
    std::to_array<std::pair<std::string_view, DriverCapability>>({{"compute", kCompute},
                                                                  {"utility", kUtility},
                                                                  {"video", kVideo},
                                                                  {"graphics", kGraphics},
                                                                  {"display", kDisplay},
                                                                  {"ngx", kNgx},
                                                                  {"compat32", kCompat32}});

constexpr auto kCapabilityLibraries =
    std::to_array<CapabilityLibrary>({{"libcuda.so.1", kCompute},
                                      {"libcuda.so", kCompute},
                                      {"libcudadebugger.so.1", kCompute},
                                      {"libnvidia-opencl.so.1", kCompute},
                                      {"libnvidia-ptxjitcompiler.so.1", kCompute},
                                      {"libnvidia-nvvm.so.4", kCompute},
                                      {"libnvidia-allocator.so.1", kCompute},
                                      {"libnvidia-ml.so.1", kUtility},
                                      {"libnvidia-cfg.so.1", kUtility},
                                      {"libnvcuvid.so.1", kVideo},
                                      {"libnvidia-encode.so.1", kVideo},
                                      {"libnvidia-opticalflow.so.1", kVideo},
                                      {"libnvidia-fbc.so.1", kGraphics},
                                      {"libnvoptix.so.1", kGraphics},
                                      {"libGLX_nvidia.so.0", kGraphics},
                                      {"libEGL_nvidia.so.0", kGraphics},
                                      {"libGLESv2_nvidia.so.2", kGraphics},
                                      {"libnvidia-ngx.so.1", kNgx}});

}  // namespace

std::span<const CapabilityLibrary> CapabilityLibraries() { return kCapabilityLibraries; }

bool DriverCapabilities::Has(DriverCapability capability) const {
  return std::ranges::find(given, capability) != given.end();
}

DriverCapabilities ReadDriverCapabilities(std::string_view value) {
  DriverCapabilities capabilities;
  bool any = false, all = false;
  for (const std::string& piece : base::Split(value, ',')) {
    const std::string word(base::Trim(piece));
    if (word.empty()) continue;
    any = true;
    const auto known =
        std::ranges::find(kCapabilityWords, word, &std::pair<std::string_view, DriverCapability>::first);
    if (word == "all") {
      all = true;
    } else if (known == kCapabilityWords.end()) {
      capabilities.unknown.push_back(word);
    } else {
      capabilities.given.push_back(known->second);
    }
  }
  if (!any && value.empty()) capabilities.given = {kCompute, kUtility};
  if (!all) return capabilities;
  capabilities = {};  // whatever stands beside it
  for (const auto& [word, capability] : kCapabilityWords) capabilities.given.push_back(capability);
  return capabilities;
}

}  // namespace culprit::knowledge
