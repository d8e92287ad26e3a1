// A stream whose first bytes can be examined before they are read.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/bytes/byte_stream.h"

namespace culprit::packed {

class PeekedStream final : public base::ByteStream {
 public:
  explicit PeekedStream(std::unique_ptr<base::ByteStream> stream) : stream_(std::move(stream)) {}

  // Up to `count` bytes from the start; fewer only at the end, or if reading fails (Read then reports it).
  std::string_view Peek(size_t count) {
    while (ahead_.size() < count) {
      const size_t had = ahead_.size();
      ahead_.resize(count);
      const auto got = stream_->Read(std::span(ahead_).subspan(had));
      ahead_.resize(had + got.value_or(0));
      if (!got) error_ = got.error();
      if (!got || *got == 0) break;
    }
    return ahead_;
  }

  base::Result<size_t> Read(std::span<char> out) override {
    if (given_ < ahead_.size()) {
      const size_t count = std::min(out.size(), ahead_.size() - given_);
      std::copy_n(ahead_.data() + given_, count, out.data());
      given_ += count;
      return count;
    }
    if (error_) return std::unexpected(*error_);
    return stream_->Read(out);
  }

 private:
  std::unique_ptr<base::ByteStream> stream_;
  std::string ahead_;
  size_t given_ = 0;
  std::optional<base::Error> error_;
};

}  // namespace culprit::packed
