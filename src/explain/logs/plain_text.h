// A log as it comes -> UTF-8 bytes: gzip, xz and zstd are decompressed, UTF-16 is converted. Memory use is a
// few buffers and the compressor's window (at most 128 MiB), whatever the size.
#pragma once

#include <memory>

#include "base/bytes/byte_stream.h"
#include "packed/unpacked.h"

namespace culprit::logs {

// Detects UTF-16 by its byte order mark, or by the zero bytes of ASCII text; anything else passes through.
std::unique_ptr<base::ByteStream> AsUtf8(std::unique_ptr<base::ByteStream> stream);

inline std::unique_ptr<base::ByteStream> PlainText(std::unique_ptr<base::ByteStream> stream) {
  return AsUtf8(packed::Unpacked(std::move(stream), {.what = "log"}));
}

}  // namespace culprit::logs
