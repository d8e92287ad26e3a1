// Bytes that can be read only once, in order: a pipe, a terminal, a file read from front to back.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/error.h"

namespace culprit::base {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // At least one byte, or 0 at the end.
  virtual Result<size_t> Read(std::span<char> out) = 0;
};

// All that is left; kTooLarge if that is more than `limit`.
Result<std::string> ReadToEnd(ByteStream& stream, size_t limit);

}  // namespace culprit::base
