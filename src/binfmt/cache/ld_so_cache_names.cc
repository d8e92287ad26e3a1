// The text in parentheses in `ldconfig -p`, and the order of its table.
#include <algorithm>
#include <array>
#include <utility>

#include "binfmt/cache/ld_so_cache.h"

namespace culprit::binfmt {
namespace {

constexpr uint32_t kTypeMask = 0x00ff, kRequiredMask = 0xff00;
constexpr std::array<std::string_view, 4> kTypes = {"libc4", "ELF", "libc5", "libc6"};

// FLAG_* >> 8: the machine, and the ABI within it.
constexpr std::array<std::string_view, 19> kRequired = {
    "",                // 00
    ",64bit",          // 01 sparc
    ",IA-64",          // 02
    ",x86-64",         // 03
    ",64bit",          // 04 s390
    ",64bit",          // 05 powerpc
    ",N32",            // 06 mips
    ",64bit",          // 07 mips
    ",x32",            // 08
    ",hard-float",     // 09 arm
    ",AArch64",        // 0a
    ",soft-float",     // 0b arm
    ",nan2008",        // 0c mips
    ",N32,nan2008",    // 0d mips
    ",64bit,nan2008",  // 0e mips
    ",soft-float",     // 0f riscv
    ",double-float",   // 10 riscv
    ",soft-float",     // 11 loongarch
    ",double-float",   // 12 loongarch
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string LdCacheFlagsName(int32_t flags) {
  const uint32_t type = static_cast<uint32_t>(flags) & kTypeMask;
  const uint32_t required = static_cast<uint32_t>(flags) & kRequiredMask;
  std::string name(type < kTypes.size() ? kTypes[type] : "unknown");
  if (required >> 8 < kRequired.size()) return name += kRequired[required >> 8];
  return name += "," + std::to_string(required);
}

int LdCacheCompare(std::string_view a, std::string_view b) {
  size_t i = 0, k = 0;
  // A number too long for 32 bits wraps, as it does in ld.so.
  const auto number = [](std::string_view text, size_t& at) {
    uint32_t value = 0;
    for (; at < text.size() && IsDigit(text[at]); ++at)
      value = value * 10 + static_cast<uint32_t>(text[at] - '0');
    return static_cast<int32_t>(value);
  };
  while (i < a.size()) {
    const bool b_ends = k >= b.size();
    if (IsDigit(a[i])) {
      if (b_ends || !IsDigit(b[k])) return 1;
      const int32_t left = number(a, i), right = number(b, k);
      if (left != right) return left < right ? -1 : 1;
      continue;
    }
    if (b_ends) return 1;
    if (IsDigit(b[k])) return -1;
    if (a[i] != b[k]) return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[k]) ? -1 : 1;
    ++i;
    ++k;
  }
  return k < b.size() ? -1 : 0;
}

}  // namespace culprit::binfmt
