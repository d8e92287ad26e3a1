#include "mcp/mended.h"

#include <charconv>
#include <cstdint>

namespace culprit::mcp {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// The number of \uXXXX at the start of `text`; 0 if there is none.
uint32_t EscapedUnit(std::string_view text) {
  uint32_t unit = 0;
  if (text.size() < 6 || !text.starts_with("\\u")) return 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + 6, unit, 16);
  return error == std::errc() && end == text.data() + 6 ? unit : 0;
}

// How many bytes at the start of `text` are one character of UTF-8; 0 if they are none (RFC 3629, section 4).
size_t CharacterLength(std::string_view text) {
  const auto byte = [&](size_t at) { return at < text.size() ? static_cast<uint8_t>(text[at]) : 0; };
  const auto between = [&](size_t at, int low, int high) { return byte(at) >= low && byte(at) <= high; };
  const auto follows = [&](size_t at) { return between(at, 0x80, 0xBF); };
  if (byte(0) < 0x80) return 1;
  if (between(0, 0xC2, 0xDF)) return follows(1) ? 2 : 0;
  const int low = byte(0) == 0xE0 ? 0xA0 : byte(0) == 0xF0 ? 0x90 : 0x80;
  const int high = byte(0) == 0xED ? 0x9F : byte(0) == 0xF4 ? 0x8F : 0xBF;
  if (!between(1, low, high) || !follows(2)) return 0;
  if (between(0, 0xE0, 0xEF)) return 3;
  return between(0, 0xF0, 0xF4) && follows(3) ? 4 : 0;
}

// How many bytes at the start of `text` can stay; 0 for half of a pair.
size_t EscapeLength(std::string_view text) {
  const uint32_t unit = EscapedUnit(text);
  if (unit < 0xD800 || unit > 0xDFFF) return text.size() < 2 ? 1 : 2;
  const uint32_t next = unit < 0xDC00 ? EscapedUnit(text.substr(6)) : 0;
  return next >= 0xDC00 && next <= 0xDFFF ? 12 : 0;
}

}  // namespace

std::string Mended(std::string_view message) {
  std::string mended;
  mended.reserve(message.size());
  while (!message.empty()) {
    const bool escape = message.front() == '\\';
    const size_t good = escape ? EscapeLength(message) : CharacterLength(message);
    mended += good == 0 ? kReplacement : message.substr(0, good);
    message.remove_prefix(good != 0 ? good : escape ? 6 : 1);
  }
  return mended;
}

}  // namespace culprit::mcp
