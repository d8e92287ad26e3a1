// The words of the protocol, both ways.
#include <cstdlib>

#include "probe/host/protocol.h"

namespace culprit::probe {
namespace {

bool IsPlain(char c) { return c > ' ' && c < 127 && c != '%'; }

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string EncodeWord(std::string_view word) {
  if (word.empty()) return "%";
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : word) {
    if (IsPlain(c)) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += kHex[byte >> 4];
    encoded += kHex[byte & 15];
  }
  return encoded;
}

std::optional<std::string> DecodeWord(std::string_view word) {
  if (word == "%") return "";
  if (word.empty()) return std::nullopt;
  std::string decoded;
  for (size_t i = 0; i < word.size(); ++i) {
    if (word[i] == '%') {
      if (i + 2 >= word.size()) return std::nullopt;
      const int high = HexValue(word[i + 1]), low = HexValue(word[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    } else if (IsPlain(word[i])) {
      decoded += word[i];
    } else {
      return std::nullopt;
    }
  }
  return decoded;
}

std::string EncodeLine(std::string_view tag, std::initializer_list<std::string_view> words) {
  std::string line(tag);
  for (const std::string_view word : words) line += ' ' + EncodeWord(word);
  return line + '\n';
}

}  // namespace culprit::probe
