#include "base/bytes/byte_stream.h"

#include <array>

namespace culprit::base {

Result<std::string> ReadToEnd(ByteStream& stream, size_t limit) {
  std::string bytes;
  std::array<char, 1 << 16> room;
  while (true) {
    const auto got = stream.Read(room);
    if (!got) return std::unexpected(got.error());
    if (*got == 0) return bytes;
    if (bytes.size() + *got > limit)
      return Fail(ErrorCode::kTooLarge, "larger than " + std::to_string(limit >> 20) + " MiB");
    bytes.append(room.data(), *got);
  }
}

}  // namespace culprit::base
