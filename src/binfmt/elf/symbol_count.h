// The length of .dynsym, which is not stored anywhere. DT_GNU_HASH lists the defined symbols, from its first
// symbol to the end of the last chain; everything before the first symbol is undefined. DT_HASH counts all
// symbols.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "binfmt/elf/dynamic.h"
#include "binfmt/elf/reader.h"

namespace culprit::binfmt {

inline constexpr uint64_t kMaxElfSymbols = 1u << 20;

struct ElfSymbolCount {
  uint64_t first_defined = 1;  // symbols before it are undefined
  uint64_t end = 1;
};

std::optional<ElfSymbolCount> CountSymbols(ElfReader& reader, const ElfFile& elf, const ElfDynamicTags& tags);
// End of the undefined ones, which the DT_GNU_HASH header gives; with DT_HASH, and in a program at a fixed
// address, which has some among the others, the end of all symbols.
std::optional<uint64_t> CountUndefined(ElfReader& reader, const ElfFile& elf, const ElfDynamicTags& tags);

// The hash of a name in DT_GNU_HASH.
uint32_t GnuHash(std::string_view name);

}  // namespace culprit::binfmt
