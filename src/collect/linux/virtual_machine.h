// Whether this machine is a virtual one, and whether a GPU in it is a vGPU.
#pragma once

#include <string>
#include <string_view>

#include "system/system.h"

namespace culprit::collect {

struct VirtualMachine {
  std::string hypervisor;  // "KVM", "Amazon EC2", "unknown hypervisor"; "" no virtual machine
  std::string source;      // how that is known
};
VirtualMachine FindVirtualMachine(const system::System& system);

// "GRID T4-16Q", "NVIDIA A40-48Q", "NVIDIA A100-1-5C": the name of a vGPU type ends with its frame buffer and
// the letter of its series (NVIDIA Virtual GPU Software User Guide, "Virtual GPU Types").
bool IsVirtualGpuName(std::string_view name);

}  // namespace culprit::collect
