// Memory of the device for the length of a step.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "probe/child/session.h"

namespace culprit::prober {

class DeviceMemory {
 public:
  explicit DeviceMemory(const cuda::Driver& driver) : driver_(driver) {}
  ~DeviceMemory() { (void)Free(); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  std::optional<Failure> Allocate(size_t bytes);  // 0 bytes: none, and no failure
  std::optional<Failure> Free();

  template <typename T>
  std::optional<Failure> AllocateAndFill(const std::vector<T>& values) {
    if (auto failure = Allocate(values.size() * sizeof(T))) return failure;
    return Write(values.data(), values.size() * sizeof(T));
  }
  std::optional<Failure> Write(const void* from, size_t bytes);
  // Waits for the device before it reads.
  std::optional<Failure> Read(void* to, size_t bytes) const;

  cuda::DevicePointer address() const { return address_; }
  void* pointer() const { return reinterpret_cast<void*>(static_cast<uintptr_t>(address_)); }

 private:
  const cuda::Driver& driver_;
  cuda::DevicePointer address_ = 0;
};

}  // namespace culprit::prober
