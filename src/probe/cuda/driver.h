// The CUDA driver API (libcuda.so.1, nvcuda.dll), as far as culprit calls it. Types as in the documentation
// of NVIDIA: CUresult, CUdevice and enums are int, handles are pointers, CUdeviceptr is 64 bits wide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "probe/cuda/function.h"

namespace culprit::cuda {

using DevicePointer = unsigned long long;

struct Uuid {
  unsigned char bytes[16] = {};
};

struct Driver {
  static constexpr int kNotFound = 500;
  static constexpr int kStubLibrary = 34;
  static constexpr int kPeerAccessAlreadyEnabled = 704;
  // CUdevice_attribute
  static constexpr int kComputeMode = 20, kEccEnabled = 32, kTccDriver = 35, kCapabilityMajor = 75,
                       kCapabilityMinor = 76;
  // CUjit_option
  static constexpr int kErrorLogBuffer = 5, kErrorLogBufferSize = 6;

  Library library;
  Function<int(unsigned)> cuInit;
  Function<int(int*)> cuDriverGetVersion;
  Function<int(int, const char**)> cuGetErrorName;
  Function<int(int, const char**)> cuGetErrorString;
  Function<int(int*)> cuDeviceGetCount;
  Function<int(int*, int)> cuDeviceGet;
  Function<int(char*, int, int)> cuDeviceGetName;
  Function<int(Uuid*, int)> cuDeviceGetUuid;
  Function<int(char*, int, int)> cuDeviceGetPCIBusId;
  Function<int(int*, int, int)> cuDeviceGetAttribute;
  Function<int(size_t*, int)> cuDeviceTotalMem;
  Function<int(void**, int)> cuDevicePrimaryCtxRetain;
  Function<int(int)> cuDevicePrimaryCtxRelease;
  Function<int(void*)> cuCtxSetCurrent;
  Function<int()> cuCtxSynchronize;
  Function<int(size_t*, size_t*)> cuMemGetInfo;
  Function<int(DevicePointer*, size_t)> cuMemAlloc;
  Function<int(DevicePointer)> cuMemFree;
  Function<int(DevicePointer, const void*, size_t)> cuMemcpyHtoD;
  Function<int(void*, DevicePointer, size_t)> cuMemcpyDtoH;
  Function<int(DevicePointer, DevicePointer, size_t)> cuMemcpyDtoD;
  Function<int(DevicePointer, void*, DevicePointer, void*, size_t)> cuMemcpyPeer;
  Function<int(int*, int, int)> cuDeviceCanAccessPeer;
  Function<int(void*, unsigned)> cuCtxEnablePeerAccess;
  Function<int(void**, const void*, unsigned, int*, void**)> cuModuleLoadDataEx;
  Function<int(void*)> cuModuleUnload;
  Function<int(void**, void*, const char*)> cuModuleGetFunction;
  Function<int(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
               void**)>
      cuLaunchKernel;

  std::string StatusName(int status) const;
  std::string StatusText(int status) const;
};

// "libcuda.so.1", "nvcuda.dll"
extern const char* const kDriverLibrary;
Driver OpenDriver(const std::string& name = kDriverLibrary);

// 13000 -> "13.0"; of the driver and of the runtime.
std::string CudaVersionText(int version);
// "5a3e0c1b-…", without "GPU-" or "MIG-".
std::string UuidText(const Uuid& uuid);

}  // namespace culprit::cuda
