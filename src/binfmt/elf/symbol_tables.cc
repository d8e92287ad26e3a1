#include "binfmt/elf/symbol_tables.h"

#include <bit>

namespace culprit::binfmt {

bool ElfSymbolTables::Find(const ElfFile& elf) {
  if (elf.tags == nullptr) return false;
  reader.SetFormat(elf.bits(), elf.big_endian());
  tags = *elf.tags;
  const auto table = tags.symtab ? MapAddress(elf.loads, *tags.symtab) : std::nullopt;
  if (table) symbols = table->offset;
  return table.has_value();
}

bool HasUsualRecords(const ElfFile& elf) {
  return elf.bits() == 64 && !elf.big_endian() && std::endian::native == std::endian::little;
}

std::optional<std::vector<uint16_t>> ReadVersionNumbers(const base::ByteSource& source, const ElfFile& elf,
                                                        const ElfDynamicTags& tags, uint64_t count) {
  const auto table = tags.versym ? MapAddress(elf.loads, *tags.versym) : std::nullopt;
  auto numbers = table ? ReadNumbers<uint16_t>(source, table->offset, count) : std::nullopt;
  if (numbers && elf.big_endian() != (std::endian::native == std::endian::big)) {
    for (uint16_t& number : *numbers) number = std::byteswap(number);
  }
  return numbers;
}

}  // namespace culprit::binfmt
