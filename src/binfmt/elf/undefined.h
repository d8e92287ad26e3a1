// The strong undefined symbols of an ELF file, read in large pieces: the table first, then the names, which
// are spread over a table of up to many megabytes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes/byte_source.h"
#include "binfmt/elf/elf.h"
#include "binfmt/elf/symbol_tables.h"

namespace culprit::binfmt {

struct ElfUndefined {
  uint32_t name = 0;     // offset in the string table
  uint32_t index = 0;    // in the symbol table
  uint16_t version = 0;  // its number in DT_VERSYM; 0 if there is no such table
};

// Among the first `end` symbols, those whose version counts, in the order of their names' offsets; nullopt if
// the tables are not inside the file. `counts` has a mark for each version number; later ones do not count.
std::optional<std::vector<ElfUndefined>> ReadUndefined(const base::ByteSource& source, const ElfFile& elf,
                                                       ElfSymbolTables& tables, uint64_t end,
                                                       std::span<const uint8_t> counts);

// Shows each symbol of such a list with its name; false if it ends at a name that is not inside the file.
bool VisitNames(const base::ByteSource& source, const ElfFile& elf, const ElfDynamicTags& tags,
                const std::vector<ElfUndefined>& symbols,
                const std::function<void(const ElfUndefined&, std::string_view)>& visit);

}  // namespace culprit::binfmt
