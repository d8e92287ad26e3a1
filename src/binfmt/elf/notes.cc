// A note is three words (sizes of name and contents, type), the name and the contents, each padded. The build
// id is the note of type 3 with the name "GNU".
#include "binfmt/elf/notes.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace culprit::binfmt {
namespace {

constexpr uint32_t kMaxBuildId = 64;  // SHA-1 is 20 bytes; the longest in use is 32

std::string Hex(std::span<const std::byte> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4];
    text += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

}  // namespace

std::optional<std::string> FindBuildId(ElfReader& reader, const ElfProgramHeader& segment, uint64_t& left) {
  // Segments of .note.gnu.property are padded to 8, all others to 4.
  const uint64_t align = segment.align == 8 ? 8 : 4;
  const auto padded = [align](uint64_t size) { return (size + align - 1) / align * align; };
  const uint64_t end = std::min(SaturatingAdd(segment.offset, segment.filesz), reader.bytes().size());
  uint64_t at = segment.offset;
  constexpr uint64_t kHeader = 12;  // size of name, size of contents, type
  while (at < end && end - at >= kHeader && left > 0) {
    --left;
    const auto header = reader.Words<3>(at);
    if (!header) return std::nullopt;
    const auto [name_size, content_size, type] = *header;
    std::array<std::byte, 4> name;
    const uint64_t content = at + padded(kHeader + uint64_t{name_size});
    if (type == NT_GNU_BUILD_ID && name_size == 4 && content_size > 0 && content_size <= kMaxBuildId &&
        reader.bytes().Copy(at + kHeader, name) && std::memcmp(name.data(), "GNU", 4) == 0) {
      std::array<std::byte, kMaxBuildId> bytes;
      const auto id = std::span(bytes).first(content_size);
      if (reader.bytes().Copy(content, id)) return Hex(id);
    }
    at = content + padded(content_size);
  }
  return std::nullopt;
}

}  // namespace culprit::binfmt
