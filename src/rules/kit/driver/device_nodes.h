// Queries about the nodes in /dev and the container runtime's variables, for rules about devices and
// containers.
#pragma once

#include <string_view>

#include "snapshot/stack.h"

namespace culprit::rules {

// "/dev/nvidia0", not "/dev/nvidiactl".
bool IsGpuNode(const snapshot::DeviceNode& node);
// Whether there is a GPU node, or WSL's /dev/dxg. False also if /dev could not be listed.
bool HasGpuNode(const snapshot::Driver& driver);

// Whether a value of NVIDIA_DRIVER_CAPABILITIES excludes libcuda. The empty value is the default, which
// includes it.
bool LacksCompute(std::string_view capabilities);

}  // namespace culprit::rules
