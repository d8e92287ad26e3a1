// How long .dynsym is, which stands nowhere. DT_GNU_HASH lists what is defined, from its first symbol to the
// end of the last chain, and everything before the first symbol is undefined; DT_HASH counts all symbols.
#pragma once

#include <cstdint>
#include <optional>

#include "binfmt/elf/dynamic.h"
#include "binfmt/elf/reader.h"

namespace culprit::binfmt {

inline constexpr uint64_t kMaxElfSymbols = 1u << 20;

struct ElfSymbolCount {
  uint64_t first_defined = 1;  // symbols before it are undefined
  uint64_t end = 1;
};

std::optional<ElfSymbolCount> CountSymbols(ElfReader& reader, const ElfFile& elf, const ElfDynamicTags& tags);

}  // namespace culprit::binfmt
