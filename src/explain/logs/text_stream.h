// A text as a stream: a message on the command line, a test.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "base/bytes/byte_stream.h"

namespace culprit::logs {

class TextStream final : public base::ByteStream {
 public:
  // At most `step` bytes at a time.
  explicit TextStream(std::string text, size_t step = 1 << 16) : text_(std::move(text)), step_(step) {}
  base::Result<size_t> Read(std::span<char> out) override {
    const size_t count = text_.copy(out.data(), std::min(out.size(), step_), at_);
    at_ += count;
    return count;
  }

 private:
  std::string text_;
  size_t step_;
  size_t at_ = 0;
};

}  // namespace culprit::logs
