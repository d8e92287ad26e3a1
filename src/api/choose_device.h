// Chooses the device that meets a program's requirements. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace culprit::api {

struct Device {
  int index = -1;      // CUDA's index in this process
  std::string name;    // "NVIDIA H200"
  std::string uuid;    // "GPU-5a3e...", "MIG-..."
  std::string bus_id;  // "0000:19:00.0"
  int major = 0;       // compute capability
  int minor = 0;
  uint64_t memory_total = 0;
  std::optional<uint64_t> memory_free;
};

enum class Policy { kMostFreeMemory, kHighestCapability, kIndex, kUuid };

struct DeviceWants {
  Policy policy = Policy::kMostFreeMemory;
  int index = 0;
  std::string uuid;  // complete, or a unique prefix; "GPU-" may be left out
  uint64_t min_free_memory = 0;
  int min_major = 0;
  int min_minor = 0;
};

struct Choice {
  const Device* device = nullptr;  // one of the given devices; nullptr: see `why`
  std::string why;                 // "GPU 0 (NVIDIA T4) is sm_75, and sm_80 is wanted"
  std::string cause;               // slug from the closed list: "out-of-memory", "arch-unsupported" ...
};

Choice ChooseDevice(const std::vector<Device>& devices, const DeviceWants& wants);

// "138.2 GiB", "512 MiB".
std::string Size(uint64_t bytes);
// "138.2 of 139.8 GiB": the second number determines the unit.
std::string SizeOf(uint64_t part, uint64_t whole);

}  // namespace culprit::api
