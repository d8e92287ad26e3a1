// Where the symbol tables of an ELF file are, and reading them in large pieces.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes/byte_source.h"
#include "binfmt/elf/dynamic.h"
#include "binfmt/elf/elf.h"
#include "binfmt/elf/reader.h"

namespace culprit::binfmt {

struct ElfSymbolTables {
  ElfReader reader;
  ElfDynamicTags tags;
  uint64_t symbols = 0;  // offset of the symbol table

  explicit ElfSymbolTables(const base::ByteSource& source) : reader(source) {}

  // False if the file has no symbol table.
  bool Find(const ElfFile& elf);
  std::optional<ElfSymbol> Symbol(uint64_t index) {
    return reader.Symbol(SaturatingAdd(symbols, index * reader.symbol_size()));
  }
};

// Elf64_Sym, as it is in a file of this machine's byte order.
struct RawElfSymbol {
  uint32_t name;
  uint8_t info, other;
  uint16_t section;
  uint64_t value, size;
};

// Whether records can be read as they are: 64-bit, little endian, on such a machine.
bool HasUsualRecords(const ElfFile& elf);

// `count` numbers or records starting at `offset`, with their bytes as in the file.
template <typename Number>
std::optional<std::vector<Number>> ReadNumbers(const base::ByteSource& source, uint64_t offset,
                                               uint64_t count) {
  if (offset > source.size() || count > (source.size() - offset) / sizeof(Number)) return std::nullopt;
  std::vector<Number> numbers(static_cast<size_t>(count));
  const auto bytes = std::as_writable_bytes(std::span(numbers));
  const auto read = source.ReadAt(offset, bytes);
  if (!read || *read != bytes.size()) return std::nullopt;
  return numbers;
}

// The numbers of DT_VERSYM for the first `count` symbols; nullopt if there are none.
std::optional<std::vector<uint16_t>> ReadVersionNumbers(const base::ByteSource& source, const ElfFile& elf,
                                                        const ElfDynamicTags& tags, uint64_t count);
inline constexpr uint16_t kVersionBits = 0x7fff;  // the highest bit hides a version from the linker

}  // namespace culprit::binfmt
