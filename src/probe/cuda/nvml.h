// NVML (libnvidia-ml.so.1, nvml.dll), as far as culprit asks it, and one device as it describes it.
// Structures are laid out as in the documentation of NVIDIA.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/gpu_state.h"
#include "probe/cuda/function.h"

namespace culprit::cuda {

struct NvmlMemory {
  unsigned long long total = 0, free = 0, used = 0;
};

struct NvmlPci {
  char bus_id_legacy[16] = {};
  unsigned domain = 0, bus = 0, device = 0, device_id = 0, subsystem_id = 0;
  char bus_id[32] = {};
};

// Of the functions without a version; those of _v2 and _v3 have two words more.
struct NvmlProcess1 {
  unsigned pid = 0;
  unsigned long long bytes = 0;
};
struct NvmlProcess {
  unsigned pid = 0;
  unsigned long long bytes = 0;
  unsigned gpu_instance = 0, compute_instance = 0;
};

struct Nvml {
  Library library;
  Function<int()> nvmlInit;
  Function<int()> nvmlShutdown;
  Function<const char*(int)> nvmlErrorString;
  Function<int(char*, unsigned)> nvmlSystemGetDriverVersion;
  Function<int(int*)> nvmlSystemGetCudaDriverVersion;
  Function<int(unsigned, char*, unsigned)> nvmlSystemGetProcessName;
  Function<int(unsigned*)> nvmlDeviceGetCount;
  Function<int(unsigned, void**)> nvmlDeviceGetHandleByIndex;
  Function<int(void*, char*, unsigned)> nvmlDeviceGetName;
  Function<int(void*, char*, unsigned)> nvmlDeviceGetUUID;
  Function<int(void*, NvmlPci*)> nvmlDeviceGetPciInfo;
  Function<int(void*, int*, int*)> nvmlDeviceGetCudaComputeCapability;
  Function<int(void*, NvmlMemory*)> nvmlDeviceGetMemoryInfo;
  Function<int(void*, int*)> nvmlDeviceGetComputeMode;
  Function<int(void*, unsigned*, unsigned*)> nvmlDeviceGetMigMode;
  Function<int(void*, unsigned*)> nvmlDeviceGetMaxMigDeviceCount;
  Function<int(void*, unsigned, void**)> nvmlDeviceGetMigDeviceHandleByIndex;
  Function<int(void*, int*, int*)> nvmlDeviceGetEccMode;
  Function<int(void*, int, int, unsigned long long*)> nvmlDeviceGetTotalEccErrors;
  Function<int(void*, int*, int*)> nvmlDeviceGetDriverModel;
  Function<int(void*, unsigned*, NvmlProcess*)> nvmlDeviceGetComputeRunningProcesses;
  Function<int(void*, unsigned*, NvmlProcess*)> nvmlDeviceGetGraphicsRunningProcesses;
  Function<int(void*, unsigned*, NvmlProcess1*)> nvmlDeviceGetComputeRunningProcesses1;
  Function<int(void*, unsigned*, NvmlProcess1*)> nvmlDeviceGetGraphicsRunningProcesses1;

  std::string StatusName(int status) const;
  std::string StatusText(int status) const;
};

// "libnvidia-ml.so.1", "nvml.dll"
extern const char* const kNvmlLibrary;
Nvml OpenNvml(const std::string& name = kNvmlLibrary);

// Unknown values are "" or 0.
struct NvmlDevice {
  unsigned index = 0;  // as nvidia-smi counts; of an instance (MIG) that of the whole device
  void* handle = nullptr;
  bool instance = false;  // a MIG instance
  std::string name, uuid, bus_id, compute_capability, ecc_errors, driver_model;
  base::ComputeMode compute_mode = base::ComputeMode::kUnknown;
  base::Switch mig = base::Switch::kUnknown, ecc = base::Switch::kUnknown;
  uint64_t memory_total = 0, memory_free = 0;
  struct Holder {
    uint64_t pid = 0, bytes = 0;
  };
  std::vector<Holder> holders;  // compute and graphics
};

// nvmlInit and the basics. nullopt: it works.
struct NvmlFacts {
  std::string driver_version;  // "580.95.05"
  std::string driver_cuda;     // "13.0"
  unsigned devices = 0;
};
std::optional<Failure> StartNvml(const Nvml& nvml, NvmlFacts& facts);
// After StartNvml. A device that MIG divides is shown by its instances, or itself where it has none.
std::vector<NvmlDevice> NvmlDevices(const Nvml& nvml, unsigned count);

}  // namespace culprit::cuda
