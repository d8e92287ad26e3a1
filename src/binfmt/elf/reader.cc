// Reads one record at a time: copies its bytes, then takes field after field in the order of the ABI. A field
// of class 64 is as wide as in class 32, or twice as wide ("natural"); program headers and symbols also have
// their fields in another order.
#include "binfmt/elf/reader.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace culprit::binfmt {
namespace {

// The fields of one record, from front to back.
class Fields {
 public:
  static std::optional<Fields> Read(ElfReader& reader, uint64_t offset, uint64_t size) {
    Fields fields(reader.is64(), reader.big_endian());
    if (!reader.bytes().Copy(offset, std::span(fields.record_).first(static_cast<size_t>(size))))
      return std::nullopt;
    return fields;
  }

  uint8_t Byte() { return static_cast<uint8_t>(Take(1)); }
  uint16_t Half() { return static_cast<uint16_t>(Take(2)); }
  uint32_t Word() { return static_cast<uint32_t>(Take(4)); }
  uint64_t Natural() { return is64_ ? Take(8) : Take(4); }
  void Skip(size_t bytes) { at_ += bytes; }

 private:
  Fields(bool is64, bool big_endian) : is64_(is64), big_endian_(big_endian) {}

  uint64_t Take(size_t width) {
    uint64_t value = 0;
    if (!big_endian_ && std::endian::native == std::endian::little) {
      std::memcpy(&value, record_.data() + at_, width);
      at_ += width;
      return value;
    }
    for (size_t i = 0; i < width; ++i) {
      const size_t place = big_endian_ ? width - 1 - i : i;  // from the least significant byte on
      value |= std::to_integer<uint64_t>(record_[at_ + i]) << (8 * place);
    }
    at_ += width;
    return value;
  }

  std::array<std::byte, 64> record_;  // size of the largest record; only bytes that were read are used
  size_t at_ = 0;
  bool is64_;
  bool big_endian_;
};

}  // namespace

std::optional<ElfHeaderRecord> ElfReader::Header() {
  auto fields = Fields::Read(*this, 0, header_size());
  if (!fields) return std::nullopt;
  ElfHeaderRecord header;
  fields->Skip(16);  // e_ident
  header.type = fields->Half();
  header.machine = fields->Half();
  header.version = fields->Word();
  fields->Natural();  // e_entry
  header.phoff = fields->Natural();
  header.shoff = fields->Natural();
  header.flags = fields->Word();
  fields->Half();  // e_ehsize
  header.phentsize = fields->Half();
  header.phnum = fields->Half();
  header.shentsize = fields->Half();
  header.shnum = fields->Half();
  header.shstrndx = fields->Half();
  return header;
}

std::optional<ElfProgramHeader> ElfReader::ProgramHeader(uint64_t offset) {
  auto fields = Fields::Read(*this, offset, program_header_size());
  if (!fields) return std::nullopt;
  ElfProgramHeader segment;
  segment.type = fields->Word();
  if (is64_) segment.flags = fields->Word();
  segment.offset = fields->Natural();
  segment.vaddr = fields->Natural();
  fields->Natural();  // p_paddr
  segment.filesz = fields->Natural();
  segment.memsz = fields->Natural();
  if (!is64_) segment.flags = fields->Word();
  segment.align = fields->Natural();
  return segment;
}

std::optional<ElfSectionHeader> ElfReader::SectionHeader(uint64_t offset) {
  auto fields = Fields::Read(*this, offset, section_header_size());
  if (!fields) return std::nullopt;
  ElfSectionHeader section;
  section.name = fields->Word();
  section.type = fields->Word();
  section.flags = fields->Natural();
  fields->Natural();  // sh_addr
  section.offset = fields->Natural();
  section.size = fields->Natural();
  section.link = fields->Word();
  return section;
}

std::optional<ElfDynamicEntry> ElfReader::DynamicEntry(uint64_t offset) {
  auto fields = Fields::Read(*this, offset, dynamic_entry_size());
  if (!fields) return std::nullopt;
  ElfDynamicEntry entry;
  const uint64_t tag = fields->Natural();  // a signed number
  entry.tag = is64_ ? static_cast<int64_t>(tag) : static_cast<int32_t>(tag);
  entry.value = fields->Natural();
  return entry;
}

std::optional<ElfSymbol> ElfReader::Symbol(uint64_t offset) {
  auto fields = Fields::Read(*this, offset, symbol_size());
  if (!fields) return std::nullopt;
  ElfSymbol symbol;
  symbol.name = fields->Word();
  if (!is64_) {
    symbol.value = fields->Natural();
    symbol.size = fields->Natural();
  }
  symbol.info = fields->Byte();
  fields->Byte();  // st_other
  symbol.section = fields->Half();
  if (is64_) {
    symbol.value = fields->Natural();
    symbol.size = fields->Natural();
  }
  return symbol;
}

std::optional<uint16_t> ElfReader::Half(uint64_t offset) {
  auto fields = Fields::Read(*this, offset, 2);
  if (!fields) return std::nullopt;
  return fields->Half();
}

std::optional<uint32_t> ElfReader::Word(uint64_t offset) {
  auto fields = Fields::Read(*this, offset, 4);
  if (!fields) return std::nullopt;
  return fields->Word();
}

std::optional<uint32_t> ElfReader::LargestWord(uint64_t offset, uint64_t count) {
  const bool swap = big_endian_ != (std::endian::native == std::endian::big);
  std::array<uint32_t, 512> words;
  uint32_t largest = 0;
  while (count > 0) {
    const auto some = std::span(words).first(static_cast<size_t>(std::min<uint64_t>(count, words.size())));
    if (!bytes_.Copy(offset, std::as_writable_bytes(some))) return std::nullopt;
    for (const uint32_t word : some) largest = std::max(largest, swap ? std::byteswap(word) : word);
    offset = SaturatingAdd(offset, some.size_bytes());
    count -= some.size();
  }
  return largest;
}

std::optional<FileRange> MapAddress(std::span<const ElfSegment> loads, uint64_t address) {
  for (const ElfSegment& load : loads) {
    if (address < load.vaddr || address - load.vaddr >= load.filesz) continue;
    const uint64_t offset = SaturatingAdd(load.offset, address - load.vaddr);
    return FileRange{offset, SaturatingAdd(load.offset, load.filesz)};
  }
  return std::nullopt;
}

}  // namespace culprit::binfmt
