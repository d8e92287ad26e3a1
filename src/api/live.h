// The living driver as this process sees it: CUDA's devices, NVML's view of their memory, and a small kernel
// as proof.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/choose_device.h"
#include "probe/cuda/function.h"
#include "probe/cuda/nvml.h"

namespace culprit::api {

struct LiveDriver {
  std::optional<cuda::Failure> failure;  // why CUDA cannot be used; then there are no devices
  std::vector<Device> devices;
  std::string driver_version;          // by NVML; "" not known
  int cuda_version = 0;                // 13000
  std::vector<cuda::NvmlDevice> nvml;  // all that NVML shows, hidden ones too
};

// Opens the driver and initialises CUDA in this process; each time the memory is asked for anew.
// `memory_anyway`: where NVML does not tell it, by a context on each device, which takes time.
LiveDriver LookAtDriver(bool memory_anyway);

// Runs a kernel on the device and checks what it wrote. nullopt: it works. In a thread of its own, so that
// the caller's current context stays as it is.
std::optional<cuda::Failure> ProveDevice(int index);

// The memory of the device that is current in this thread (or the first), and who holds it. nullopt when NVML
// does not tell.
struct MemoryState {
  int index = 0;
  cuda::NvmlDevice device;
};
std::optional<MemoryState> MemoryOfCurrentDevice();

}  // namespace culprit::api
