// Where bytes come from: a file of the machine, a member of an archive, a string in a test or a fuzzer. Reads
// copy from an offset and never map: a file that is truncated while it is read gives a short read, not
// SIGBUS.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/error.h"

namespace culprit::base {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Size at the time of opening.
  virtual uint64_t size() const = 0;
  // Copies bytes from `offset` on; fewer than asked for only at the end of the data.
  virtual Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) const = 0;
};

// Bytes in memory, which must outlive the source.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::span<const std::byte> bytes) : bytes_(bytes) {}
  uint64_t size() const override { return bytes_.size(); }
  Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    if (offset >= bytes_.size() || out.empty()) return size_t{0};
    const size_t n = std::min<size_t>(out.size(), bytes_.size() - static_cast<size_t>(offset));
    std::memcpy(out.data(), bytes_.data() + offset, n);
    return n;
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace culprit::base
