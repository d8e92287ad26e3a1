// The fields of a tar header: fixed places in a block of 512 bytes, numbers in octal or (GNU) binary.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "binfmt/tar/tar.h"

namespace culprit::binfmt {

using TarBlock = std::span<const char, 512>;

// nullopt: not a number, or negative, or of more than 63 bits.
std::optional<uint64_t> TarNumber(std::string_view field);
std::optional<uint64_t> TarDecimal(std::string_view text);
// Up to the first NUL.
std::string TarText(std::string_view field);
// The name, with the prefix of ustar before it.
std::string TarName(TarBlock block);
bool IsZero(TarBlock block);
// Whether the sum over the header is that in it: old programs added signed bytes.
bool SumIsRight(TarBlock block);
TarType TarTypeOf(char flag, std::string_view name);

inline std::string_view TarField(TarBlock block, size_t at, size_t size) { return {block.data() + at, size}; }

// Whether the extents are in order, within the file, and take exactly `stored` bytes.
bool AreInOrder(std::span<const TarExtent> extents, uint64_t size, uint64_t stored);

}  // namespace culprit::binfmt
