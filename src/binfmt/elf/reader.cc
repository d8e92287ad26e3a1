// Reads one record at a time, field after field in the order of the ABI. A field
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
  Fields(const ElfReader& reader, const std::byte* record)
      : at_(record), is64_(reader.is64()), swap_(reader.swaps()) {}

  uint8_t Byte() { return Take<uint8_t>(); }
  uint16_t Half() { return Take<uint16_t>(); }
  uint32_t Word() { return Take<uint32_t>(); }
  uint64_t Natural() { return is64_ ? Take<uint64_t>() : Take<uint32_t>(); }
  void Skip(size_t bytes) { at_ += bytes; }

 private:
  template <typename Number>
  Number Take() {
    Number value;
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return swap_ ? std::byteswap(value) : value;
  }

  const std::byte* at_;
  bool is64_, swap_;
};

}  // namespace

std::optional<ElfHeaderRecord> ElfReader::Header() {
  const std::byte* const record = bytes_.Record(0, header_size());
  if (record == nullptr) return std::nullopt;
  Fields fields(*this, record);
  ElfHeaderRecord header;
  fields.Skip(16);  // e_ident
  header.type = fields.Half();
  header.machine = fields.Half();
  header.version = fields.Word();
  fields.Natural();  // e_entry
  header.phoff = fields.Natural();
  header.shoff = fields.Natural();
  header.flags = fields.Word();
  fields.Half();  // e_ehsize
  header.phentsize = fields.Half();
  header.phnum = fields.Half();
  header.shentsize = fields.Half();
  header.shnum = fields.Half();
  header.shstrndx = fields.Half();
  return header;
}

std::optional<ElfProgramHeader> ElfReader::ProgramHeader(uint64_t offset) {
  const std::byte* const record = bytes_.Record(offset, program_header_size());
  if (record == nullptr) return std::nullopt;
  Fields fields(*this, record);
  ElfProgramHeader segment;
  segment.type = fields.Word();
  if (is64_) segment.flags = fields.Word();
  segment.offset = fields.Natural();
  segment.vaddr = fields.Natural();
  fields.Natural();  // p_paddr
  segment.filesz = fields.Natural();
  segment.memsz = fields.Natural();
  if (!is64_) segment.flags = fields.Word();
  segment.align = fields.Natural();
  return segment;
}

std::optional<ElfSectionHeader> ElfReader::SectionHeader(uint64_t offset) {
  const std::byte* const record = bytes_.Record(offset, section_header_size());
  if (record == nullptr) return std::nullopt;
  Fields fields(*this, record);
  ElfSectionHeader section;
  section.name = fields.Word();
  section.type = fields.Word();
  section.flags = fields.Natural();
  fields.Natural();  // sh_addr
  section.offset = fields.Natural();
  section.size = fields.Natural();
  section.link = fields.Word();
  return section;
}

std::optional<ElfDynamicEntry> ElfReader::DynamicEntry(uint64_t offset) {
  const std::byte* const record = bytes_.Record(offset, dynamic_entry_size());
  if (record == nullptr) return std::nullopt;
  Fields fields(*this, record);
  ElfDynamicEntry entry;
  const uint64_t tag = fields.Natural();  // a signed number
  entry.tag = is64_ ? static_cast<int64_t>(tag) : static_cast<int32_t>(tag);
  entry.value = fields.Natural();
  return entry;
}

std::optional<ElfSymbol> ElfReader::Symbol(uint64_t offset) {
  const std::byte* const record = bytes_.Record(offset, symbol_size());
  if (record == nullptr) return std::nullopt;
  Fields fields(*this, record);
  ElfSymbol symbol;
  symbol.name = fields.Word();
  if (!is64_) {
    symbol.value = fields.Natural();
    symbol.size = fields.Natural();
  }
  symbol.info = fields.Byte();
  fields.Byte();  // st_other
  symbol.section = fields.Half();
  if (is64_) {
    symbol.value = fields.Natural();
    symbol.size = fields.Natural();
  }
  return symbol;
}

std::optional<uint16_t> ElfReader::Half(uint64_t offset) {
  const std::byte* const record = bytes_.Record(offset, 2);
  if (record == nullptr) return std::nullopt;
  Fields fields(*this, record);
  return fields.Half();
}

std::optional<uint32_t> ElfReader::Word(uint64_t offset) {
  const std::byte* const record = bytes_.Record(offset, 4);
  if (record == nullptr) return std::nullopt;
  Fields fields(*this, record);
  return fields.Word();
}

std::optional<uint32_t> ElfReader::LargestWord(uint64_t offset, uint64_t count) {
  std::array<uint32_t, 512> words;
  uint32_t largest = 0;
  while (count > 0) {
    const auto some = std::span(words).first(static_cast<size_t>(std::min<uint64_t>(count, words.size())));
    if (!bytes_.Copy(offset, std::as_writable_bytes(some))) return std::nullopt;
    for (const uint32_t word : some) largest = std::max(largest, swaps() ? std::byteswap(word) : word);
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
