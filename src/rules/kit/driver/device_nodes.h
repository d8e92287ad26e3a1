// Queries about the nodes in /dev, for rules about devices and containers.
#pragma once

#include "snapshot/stack.h"

namespace culprit::rules {

// "/dev/nvidia0", not "/dev/nvidiactl".
bool IsGpuNode(const snapshot::DeviceNode& node);
// Whether there is a GPU node, or WSL's /dev/dxg. False also if /dev could not be listed.
bool HasGpuNode(const snapshot::Driver& driver);

}  // namespace culprit::rules
