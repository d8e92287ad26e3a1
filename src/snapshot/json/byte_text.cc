#include "snapshot/json/byte_text.h"

#include "base/text.h"

namespace culprit::snapshot {

std::string EncodeBytes(std::string_view bytes) {
  if (bytes.find("\\x") == bytes.npos) return base::Printable(bytes, base::Invisible::kBytes);
  std::string escaped;
  for (size_t i = 0; i < bytes.size(); ++i) {
    escaped += bytes.substr(i).starts_with("\\x") ? std::string_view("\\x5c") : bytes.substr(i, 1);
  }
  return base::Printable(escaped, base::Invisible::kBytes);
}

std::string DecodeBytes(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && text[i + 1] == 'x') {
      const int high = HexDigit(text[i + 2]), low = HexDigit(text[i + 3]);
      if (high >= 0 && low >= 0) {
        bytes += static_cast<char>(high * 16 + low);
        i += 3;
        continue;
      }
    }
    bytes += text[i];
  }
  return bytes;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace culprit::snapshot
