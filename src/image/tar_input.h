// Where the members of a layer or an archive are read from: bytes at rest, where passing over a file costs
// nothing, or a stream.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "base/bytes/byte_source.h"
#include "binfmt/tar/tar.h"

namespace culprit::image {

// Bytes at rest, in order.
class BytesStream final : public base::ByteStream {
 public:
  // They must outlive the stream, unless it shares them.
  explicit BytesStream(const base::ByteSource& bytes) : bytes_(bytes) {}
  explicit BytesStream(std::shared_ptr<const base::ByteSource> bytes)
      : held_(std::move(bytes)), bytes_(*held_) {}
  base::Result<size_t> Read(std::span<char> out) override {
    const auto got = bytes_.ReadAt(at_, std::as_writable_bytes(out));
    if (got) at_ += *got;
    return got;
  }

 private:
  std::shared_ptr<const base::ByteSource> held_;
  const base::ByteSource& bytes_;
  uint64_t at_ = 0;
};

class BytesInput final : public binfmt::TarInput {
 public:
  explicit BytesInput(const base::ByteSource& bytes) : bytes_(bytes) {}
  base::Result<size_t> Read(std::span<char> out) override {
    const auto got = bytes_.ReadAt(at_, std::as_writable_bytes(out));
    if (got) at_ += *got;
    return got;
  }
  base::Result<uint64_t> Skip(uint64_t count) override {
    const uint64_t passed = std::min(count, bytes_.size() - std::min(at_, bytes_.size()));
    at_ += passed;
    return passed;
  }

 private:
  const base::ByteSource& bytes_;
  uint64_t at_ = 0;
};

class StreamInput final : public binfmt::TarInput {
 public:
  explicit StreamInput(base::ByteStream& stream) : stream_(stream), buffer_(kBuffer) {}
  base::Result<size_t> Read(std::span<char> out) override {
    if (out.size() >= kBuffer && ahead_.empty()) return stream_.Read(out);
    if (auto filled = Fill(); !filled) return std::unexpected(filled.error());
    const size_t n = std::min(out.size(), ahead_.size());
    std::copy_n(ahead_.data(), n, out.data());
    ahead_ = ahead_.subspan(n);
    return n;
  }
  base::Result<uint64_t> Skip(uint64_t count) override {
    uint64_t passed = 0;
    while (passed < count) {
      if (auto filled = Fill(); !filled) return std::unexpected(filled.error());
      if (ahead_.empty()) break;
      const auto n = static_cast<size_t>(std::min<uint64_t>(count - passed, ahead_.size()));
      ahead_ = ahead_.subspan(n);
      passed += n;
    }
    return passed;
  }

 private:
  static constexpr size_t kBuffer = 256 << 10;
  base::Result<void> Fill() {
    if (!ahead_.empty()) return {};
    const auto got = stream_.Read(buffer_);
    if (!got) return std::unexpected(got.error());
    ahead_ = std::span(buffer_).first(*got);
    return {};
  }

  base::ByteStream& stream_;
  std::vector<char> buffer_;
  std::span<char> ahead_;
};

}  // namespace culprit::image
