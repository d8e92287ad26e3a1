// Deflated bytes that can be read at any offset. Deflate can only be read from the front, so the reader keeps
// resume points: where a block starts, with the 32 KiB of output before it. The points of a library of one
// gigabyte take about four megabytes, and a read inflates at most the distance from the point before it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/bytes/byte_source.h"

namespace culprit::binfmt {

// A part of another source.
class SliceSource final : public base::ByteSource {
 public:
  SliceSource(const base::ByteSource& source, uint64_t begin, uint64_t size)
      : source_(source), begin_(begin), size_(size) {}
  uint64_t size() const override { return size_; }
  base::Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) const override;

 private:
  const base::ByteSource& source_;
  uint64_t begin_, size_;
};

class InflateSource final : public base::ByteSource {
 public:
  // `size` is what the archive claims; more is never returned, less is an error.
  InflateSource(const base::ByteSource& source, uint64_t begin, uint64_t compressed_size, uint64_t size);
  ~InflateSource() override;
  uint64_t size() const override { return size_; }
  base::Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) const override;

 private:
  struct State;

  SliceSource compressed_;
  uint64_t size_;
  std::unique_ptr<State> state_;
};

}  // namespace culprit::binfmt
