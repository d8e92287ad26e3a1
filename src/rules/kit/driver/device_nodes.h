// What rules about devices and containers ask of the nodes in /dev and of the runtime's variables.
#pragma once

#include <string_view>

#include "snapshot/stack.h"

namespace culprit::rules {

// "/dev/nvidia0", not "/dev/nvidiactl".
bool IsGpuNode(const snapshot::DeviceNode& node);
// A node of a GPU, or WSL's /dev/dxg. False also when /dev could not be listed.
bool HasGpuNode(const snapshot::Driver& driver);

// Whether a value of NVIDIA_DRIVER_CAPABILITIES leaves out libcuda; an empty one is the default, which has
// it.
bool LacksCompute(std::string_view capabilities);

}  // namespace culprit::rules
