#include "binfmt/tar/fields.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace culprit::binfmt {

std::optional<uint64_t> TarNumber(std::string_view field) {
  if (field.empty()) return std::nullopt;
  if ((static_cast<unsigned char>(field.front()) & 0x80) != 0) {  // GNU: big-endian, the first bit is a mark
    uint64_t number = static_cast<unsigned char>(field.front()) & 0x7f;
    if (number == 0x7f) return std::nullopt;  // negative
    for (const char c : field.substr(1)) {
      if (number >> 55 != 0) return std::nullopt;
      number = number << 8 | static_cast<unsigned char>(c);
    }
    return number;
  }
  field = field.substr(0, field.find('\0'));
  field = base::Trim(field);
  if (field.empty()) return 0;
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number, 8);
  if (error != std::errc() || end != field.data() + field.size() || number >> 63 != 0) return std::nullopt;
  return number;
}

std::optional<uint64_t> TarDecimal(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number >> 63 != 0) return std::nullopt;
  return number;
}

std::string TarText(std::string_view field) { return std::string(field.substr(0, field.find('\0'))); }

std::string TarName(TarBlock block) {
  std::string name = TarText(TarField(block, 0, 100));
  if (TarField(block, 257, 6) != std::string_view("ustar\0", 6)) return name;  // GNU has other things there
  const std::string prefix = TarText(TarField(block, 345, 155));
  return prefix.empty() ? name : prefix + "/" + name;
}

bool IsZero(TarBlock block) {
  return std::ranges::all_of(block, [](char c) { return c == 0; });
}

bool SumIsRight(TarBlock block) {
  const auto written = TarNumber(TarField(block, 148, 8));
  if (!written) return false;
  uint64_t plain = 0;
  int64_t with_sign = 0;
  for (size_t i = 0; i < block.size(); ++i) {
    const char c = i >= 148 && i < 156 ? ' ' : block[i];
    plain += static_cast<unsigned char>(c);
    with_sign += static_cast<signed char>(c);
  }
  return plain == *written || with_sign == static_cast<int64_t>(*written);
}

TarType TarTypeOf(char flag, std::string_view name) {
  switch (flag) {
    case '\0':
    case '0':
    case '7':
      return name.ends_with('/') ? TarType::kDirectory : TarType::kFile;
    case 'S':
      return TarType::kFile;
    case '1':
      return TarType::kHardLink;
    case '2':
      return TarType::kSymlink;
    case '5':
      return TarType::kDirectory;
    default:
      return TarType::kOther;
  }
}

bool AreInOrder(std::span<const TarExtent> extents, uint64_t size, uint64_t stored) {
  uint64_t end = 0, sum = 0;
  for (const TarExtent& extent : extents) {
    if (extent.at < end || extent.at > size || extent.size > size - extent.at) return false;
    end = extent.at + extent.size;
    sum += extent.size;
  }
  return sum == stored;
}

}  // namespace culprit::binfmt
