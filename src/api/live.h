// The running driver as this process sees it: CUDA's devices, NVML's view of their memory, and a small kernel
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
  std::string driver_version;          // from NVML; "" if unknown
  int cuda_version = 0;                // 13000
  std::vector<cuda::NvmlDevice> nvml;  // everything that NVML shows, including hidden devices
};

// Loads the driver and initializes CUDA in this process; memory is queried again each time. `memory_anyway`:
// if NVML does not report it, create a context on each device, which takes time.
LiveDriver LookAtDriver(bool memory_anyway);

// Runs a kernel on the device and checks its result. nullopt: it works. Uses its own thread, so that the
// caller's current context does not change.
std::optional<cuda::Failure> ProveDevice(int index);

// The memory of the current device of this thread (or the first), and which processes use it. nullopt if NVML
// does not report it.
struct MemoryState {
  int index = 0;
  cuda::NvmlDevice device;
};
std::optional<MemoryState> MemoryOfCurrentDevice();

}  // namespace culprit::api
