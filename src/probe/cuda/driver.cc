#include "probe/cuda/driver.h"

#include <iterator>

namespace culprit::cuda {
namespace {

// What a libcuda says that cannot even name its errors: a stub, or one whose cuInit failed early.
constexpr KnownStatus kDriverStatuses[] = {
    {1, "CUDA_ERROR_INVALID_VALUE"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY"},
    {3, "CUDA_ERROR_NOT_INITIALIZED"},
    {34, "CUDA_ERROR_STUB_LIBRARY"},
    {36, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
    {100, "CUDA_ERROR_NO_DEVICE"},
    {101, "CUDA_ERROR_INVALID_DEVICE"},
    {304, "CUDA_ERROR_OPERATING_SYSTEM"},
    {802, "CUDA_ERROR_SYSTEM_NOT_READY"},
    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
    {804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"},
    {999, "CUDA_ERROR_UNKNOWN"},
};

}  // namespace

#ifdef _WIN32
const char* const kDriverLibrary = "nvcuda.dll";
#else
const char* const kDriverLibrary = "libcuda.so.1";
#endif

std::string Driver::StatusName(int status) const {
  const char* name = nullptr;
  if (cuGetErrorName && cuGetErrorName(status, &name) == 0 && name != nullptr) return name;
  return NameAmong(kDriverStatuses, status, "CUDA_ERROR_");
}

std::string Driver::StatusText(int status) const {
  const char* text = nullptr;
  if (cuGetErrorString && cuGetErrorString(status, &text) == 0 && text != nullptr) return text;
  return status == kStubLibrary ? "the library is a stub, meant only for linking" : "";
}

Driver OpenDriver(const std::string& name) {
  Driver driver;
  const Library library = driver.library = Library::Open(name);
  driver.cuInit.Bind(library, "cuInit");
  driver.cuDriverGetVersion.Bind(library, "cuDriverGetVersion");
  driver.cuGetErrorName.Bind(library, "cuGetErrorName");
  driver.cuGetErrorString.Bind(library, "cuGetErrorString");
  driver.cuDeviceGetCount.Bind(library, "cuDeviceGetCount");
  driver.cuDeviceGet.Bind(library, "cuDeviceGet");
  driver.cuDeviceGetName.Bind(library, "cuDeviceGetName");
  driver.cuDeviceGetUuid.Bind(library, "cuDeviceGetUuid_v2", "cuDeviceGetUuid");
  driver.cuDeviceGetPCIBusId.Bind(library, "cuDeviceGetPCIBusId");
  driver.cuDeviceGetAttribute.Bind(library, "cuDeviceGetAttribute");
  driver.cuDeviceTotalMem.Bind(library, "cuDeviceTotalMem_v2");
  driver.cuDevicePrimaryCtxRetain.Bind(library, "cuDevicePrimaryCtxRetain");
  driver.cuDevicePrimaryCtxRelease.Bind(library, "cuDevicePrimaryCtxRelease_v2", "cuDevicePrimaryCtxRelease");
  driver.cuCtxSetCurrent.Bind(library, "cuCtxSetCurrent");
  driver.cuCtxSynchronize.Bind(library, "cuCtxSynchronize");
  driver.cuMemGetInfo.Bind(library, "cuMemGetInfo_v2");
  driver.cuMemAlloc.Bind(library, "cuMemAlloc_v2");
  driver.cuMemFree.Bind(library, "cuMemFree_v2");
  driver.cuMemcpyHtoD.Bind(library, "cuMemcpyHtoD_v2");
  driver.cuMemcpyDtoH.Bind(library, "cuMemcpyDtoH_v2");
  driver.cuMemcpyDtoD.Bind(library, "cuMemcpyDtoD_v2");
  driver.cuMemcpyPeer.Bind(library, "cuMemcpyPeer");
  driver.cuDeviceCanAccessPeer.Bind(library, "cuDeviceCanAccessPeer");
  driver.cuCtxEnablePeerAccess.Bind(library, "cuCtxEnablePeerAccess");
  driver.cuModuleLoadDataEx.Bind(library, "cuModuleLoadDataEx");
  driver.cuModuleUnload.Bind(library, "cuModuleUnload");
  driver.cuModuleGetFunction.Bind(library, "cuModuleGetFunction");
  driver.cuLaunchKernel.Bind(library, "cuLaunchKernel");
  return driver;
}

std::string CudaVersionText(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string UuidText(const Uuid& uuid) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < std::size(uuid.bytes); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kHex[uuid.bytes[i] >> 4];
    text += kHex[uuid.bytes[i] & 15];
  }
  return text;
}

}  // namespace culprit::cuda
