#include "binfmt/pe/write_resources.h"

#include <utility>
#include <vector>

#include "base/text.h"
#include "binfmt/byte_writer.h"

namespace culprit::binfmt {
namespace {

std::string Utf16(std::string_view text) {
  ByteWriter out(/*big_endian=*/false);
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    uint32_t point = length == 1 ? lead : lead & (0xFFu >> (length + 1));
    for (size_t k = 1; k < length && i + k < text.size(); ++k) {
      point = point << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3F);
    }
    i += length;
    if (point < 0x10000) {
      out.U16(point);
    } else {
      out.U16(0xD800 + ((point - 0x10000) >> 10));
      out.U16(0xDC00 + ((point - 0x10000) & 0x3FF));
    }
  }
  return out.bytes();
}

// `value_length` is in characters for a text, in bytes otherwise.
std::string Block(std::string_view key, bool text, size_t value_length, const std::string& value,
                  const std::vector<std::string>& children) {
  ByteWriter body(false);
  body.Text(Utf16(key));
  body.U16(0);
  const auto align = [&] {
    while ((body.size() + 6) % 4 != 0) body.U8(0);  // includes the 6-byte header
  };
  align();
  body.Text(value);
  for (const std::string& child : children) {
    align();
    body.Text(child);
  }
  ByteWriter block(false);
  block.U16(6 + body.size());
  block.U16(value_length);
  block.U16(text ? 1 : 0);
  block.Text(body.bytes());
  return block.bytes();
}

void Version(std::string_view version, ByteWriter& out) {
  std::vector<std::string> parts = base::Split(version, '.');
  parts.resize(4, "0");
  const auto part = [&](size_t i) { return parts[i].empty() ? 0ul : std::stoul(parts[i]); };
  out.U32(part(0) << 16 | part(1));
  out.U32(part(2) << 16 | part(3));
}

}  // namespace

std::string BuildVersionInfo(const PeVersionInfo& version) {
  ByteWriter fixed(false);
  fixed.U32(0xFEEF04BD);
  fixed.U32(0x10000);
  Version(version.file_version, fixed);
  Version(version.product_version, fixed);
  while (fixed.size() < 52) fixed.U32(0);
  std::vector<std::string> strings;
  for (const auto& [key, value] : version.strings) {
    const std::string text = Utf16(value) + std::string(2, '\0');
    strings.push_back(Block(key, true, text.size() / 2, text, {}));
  }
  const std::string table = Block("040904b0", true, 0, "", strings);
  return Block("VS_VERSION_INFO", false, fixed.size(), fixed.bytes(),
               {Block("StringFileInfo", true, 0, "", {table})});
}

std::string BuildResources(uint32_t rva, const std::optional<PeVersionInfo>& version,
                           const std::optional<std::string>& manifest) {
  std::vector<std::pair<uint32_t, std::string>> items;  // type, data
  if (version) items.emplace_back(16, BuildVersionInfo(*version));
  if (manifest) items.emplace_back(24, *manifest);
  if (items.empty()) return {};
  constexpr size_t kDirectory = 16, kEntry = 8, kData = 16;
  const size_t count = items.size();
  const size_t names = kDirectory + count * kEntry;  // where the second-level directories start
  const size_t languages = names + count * (kDirectory + kEntry);
  const size_t data = languages + count * (kDirectory + kEntry);
  size_t bytes = data + count * kData;

  ByteWriter out(false);
  const auto directory = [&](size_t entries) {
    out.Text(std::string(14, '\0'));
    out.U16(entries);
  };
  constexpr uint32_t kSub = 1u << 31;
  directory(count);
  for (size_t i = 0; i < count; ++i) {
    out.U32(items[i].first);
    out.U32(kSub | (names + i * (kDirectory + kEntry)));
  }
  for (size_t i = 0; i < count; ++i) {
    directory(1);
    out.U32(1);
    out.U32(kSub | (languages + i * (kDirectory + kEntry)));
  }
  for (size_t i = 0; i < count; ++i) {
    directory(1);
    out.U32(1033);
    out.U32(data + i * kData);
  }
  for (const auto& [type, contents] : items) {
    out.U32(rva + bytes);
    out.U32(contents.size());
    out.U32(0);
    out.U32(0);
    bytes += (contents.size() + 3) / 4 * 4;
  }
  for (const auto& [type, contents] : items) {
    out.Text(contents);
    out.AlignTo(4);
  }
  return out.bytes();
}

}  // namespace culprit::binfmt
