// A log as it comes -> UTF-8 bytes: gzip, xz and zstd are unpacked, UTF-16 is rewritten. Nothing is
// remembered but a few buffers, whatever the size.
#pragma once

#include <memory>

#include "base/byte_stream.h"

namespace culprit::logs {

// What the first bytes say; anything that is not packed passes through.
std::unique_ptr<base::ByteStream> Unpacked(std::unique_ptr<base::ByteStream> stream);
// UTF-16 by its byte order mark, or by the zero bytes that ASCII has in it; anything else passes through.
std::unique_ptr<base::ByteStream> AsUtf8(std::unique_ptr<base::ByteStream> stream);

inline std::unique_ptr<base::ByteStream> PlainText(std::unique_ptr<base::ByteStream> stream) {
  return AsUtf8(Unpacked(std::move(stream)));
}

}  // namespace culprit::logs
