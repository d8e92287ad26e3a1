#include "probe/child/device_memory.h"

namespace culprit::prober {

std::optional<Failure> DeviceMemory::Allocate(size_t bytes) {
  if (auto failure = Free()) return failure;
  if (bytes == 0) return std::nullopt;
  auto failure = Try(driver_, driver_.cuMemAlloc, &address_, bytes);
  if (failure) {
    address_ = 0;
    failure->detail +=
        (failure->detail.empty() ? "" : "; ") + std::to_string(bytes) + " bytes were requested";
  }
  return failure;
}

std::optional<Failure> DeviceMemory::Free() {
  if (address_ == 0) return std::nullopt;
  const cuda::DevicePointer address = address_;
  address_ = 0;
  return Try(driver_, driver_.cuMemFree, address);
}

std::optional<Failure> DeviceMemory::Write(const void* from, size_t bytes) {
  return Try(driver_, driver_.cuMemcpyHtoD, address_, from, bytes);
}

std::optional<Failure> DeviceMemory::Read(void* to, size_t bytes) const {
  if (auto failure = Try(driver_, driver_.cuCtxSynchronize)) return failure;
  return Try(driver_, driver_.cuMemcpyDtoH, to, address_, bytes);
}

}  // namespace culprit::prober
