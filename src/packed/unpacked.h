// A compressed stream -> its bytes: gzip, xz and zstd, for logs and for layers of images. Memory use is a few
// buffers and the compressor's window (at most 128 MiB), whatever the size.
#pragma once

#include <memory>
#include <string_view>

#include "base/bytes/byte_stream.h"

namespace culprit::packed {

struct Unpacking {
  std::string_view what;  // for errors: "log", "layer"; a literal
  // What a stream that stops in the middle is. A log whose job died while writing it is valid up to there.
  enum class Cut { kEnd, kError } cut = Cut::kEnd;
};

// Whether these first bytes (6 are enough) are those of a format that Unpacked() understands.
bool IsPacked(std::string_view start);
// Detected by the first bytes; anything that is not compressed passes through.
std::unique_ptr<base::ByteStream> Unpacked(std::unique_ptr<base::ByteStream> stream, Unpacking unpacking);

}  // namespace culprit::packed
