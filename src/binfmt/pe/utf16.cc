#include "binfmt/pe/utf16.h"

#include <cstdint>

namespace culprit::binfmt {
namespace {

uint32_t Unit(std::span<const std::byte> bytes, size_t at) {
  return std::to_integer<uint32_t>(bytes[at]) | std::to_integer<uint32_t>(bytes[at + 1]) << 8;
}

void Append(uint32_t point, std::string& text) {
  const auto byte = [&](uint32_t value) { text += static_cast<char>(value); };
  const auto tail = [&](int shift) { byte(0x80 | ((point >> shift) & 0x3F)); };
  if (point < 0x80) {
    byte(point);
  } else if (point < 0x800) {
    byte(0xC0 | point >> 6);
    tail(0);
  } else if (point < 0x10000) {
    byte(0xE0 | point >> 12);
    tail(6);
    tail(0);
  } else {
    byte(0xF0 | point >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace

std::string Utf16ToUtf8(std::span<const std::byte> bytes) {
  constexpr uint32_t kReplacement = 0xFFFD;
  std::string text;
  for (size_t at = 0; at + 2 <= bytes.size(); at += 2) {
    uint32_t point = Unit(bytes, at);
    if (point >= 0xD800 && point < 0xE000) {
      const uint32_t low = point < 0xDC00 && at + 4 <= bytes.size() ? Unit(bytes, at + 2) : 0;
      if (low >= 0xDC00 && low < 0xE000) {
        point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
        at += 2;
      } else {
        point = kReplacement;
      }
    }
    Append(point, text);
  }
  return text;
}

}  // namespace culprit::binfmt
