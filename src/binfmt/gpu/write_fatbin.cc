#include "binfmt/gpu/write_fatbin.h"

#include "binfmt/byte_writer.h"
#include "binfmt/elf/constants.h"

namespace culprit::binfmt {
namespace {

std::string BuildEntry(const FatbinEntry& entry) {
  std::string code = entry.code;
  while (code.size() % 8 != 0) code += '\0';
  const bool compressed = (entry.flags & (kLz4 | kZstd)) != 0;
  ByteWriter out(/*big_endian=*/false);
  out.U16(entry.kind);
  out.U16(0x0101);
  out.U32(entry.claimed_header_size.value_or(entry.header_size));
  out.U64(entry.claimed_code_size.value_or(code.size()));
  out.U32(compressed ? entry.code.size() : 0);
  out.U32(entry.header_size > 64 ? 64 : 0);
  out.U16(entry.minor);
  out.U16(entry.major);
  out.U32(entry.arch);
  out.U32(0);
  out.U32(0);
  out.U64(entry.flags | 0x11);
  out.U64(0);
  out.U64(compressed ? 3 * entry.code.size() : 0);
  while (out.size() < entry.header_size) out.U8(0);
  out.Text(code);
  return out.bytes();
}

// The ELF header of a file with `count` sections, whose table is at `table`.
void WriteHeader(const SectionsSpec& spec, size_t table, size_t count, ByteWriter& out) {
  const bool is64 = spec.bits == 64;
  const size_t word = is64 ? 8 : 4;
  const bool moved = spec.numbers_in_first_section;
  out.Text(
      {"\x7f"
       "ELF",
       4});
  out.U8(is64 ? ELFCLASS64 : ELFCLASS32);
  out.U8(spec.big_endian ? ELFDATA2MSB : ELFDATA2LSB);
  out.U8(EV_CURRENT);
  out.U8(0);
  out.U8(spec.abi_version);
  while (out.size() < 16) out.U8(0);
  out.U16(ET_REL);
  out.U16(spec.machine);
  out.U32(spec.version);
  out.Number(0, word);
  out.Number(0, word);
  out.Number(table, word);
  out.U32(spec.flags);
  out.U16(ElfHeaderSize(is64));
  out.U16(ElfProgramHeaderSize(is64));
  out.U16(0);
  out.U16(ElfSectionHeaderSize(is64));
  out.U16(moved ? 0 : count);
  out.U16(moved ? SHN_XINDEX : count - 1);
}

}  // namespace

std::string BuildFatbin(const FatbinSpec& spec) {
  std::string entries;
  for (const FatbinEntry& entry : spec.entries) entries += BuildEntry(entry);
  ByteWriter out(/*big_endian=*/false);
  out.U32(spec.magic);
  out.U16(spec.version);
  out.U16(spec.header_size);
  out.U64(spec.claimed_size.value_or(entries.size()));
  out.Text(entries);
  return out.bytes();
}

std::string BuildSections(const SectionsSpec& spec) {
  const bool is64 = spec.bits == 64;
  const size_t word = is64 ? 8 : 4;
  std::vector<SectionSpec> sections = {{.name = "", .bytes = "", .type = SHT_NULL, .flags = 0}};
  sections.insert(sections.end(), spec.sections.begin(), spec.sections.end());
  StringTable names;
  for (const SectionSpec& section : sections) names.Add(section.name);
  names.Add(".shstrtab");
  sections.push_back({.name = ".shstrtab", .bytes = names.bytes(), .type = SHT_STRTAB, .flags = 0});

  size_t table = (ElfHeaderSize(is64) + 15) / 16 * 16;
  std::vector<uint64_t> offsets;
  for (const SectionSpec& section : sections) {
    offsets.push_back(table);
    table = (table + section.bytes.size() + 15) / 16 * 16;
  }
  ByteWriter out(spec.big_endian);
  WriteHeader(spec, table, sections.size(), out);
  for (const SectionSpec& section : sections) {
    out.AlignTo(16);
    out.Text(section.bytes);
  }
  out.AlignTo(16);
  for (size_t i = 0; i < sections.size(); ++i) {
    const SectionSpec& section = sections[i];
    const bool numbers = i == 0 && spec.numbers_in_first_section;
    out.U32(names.Add(section.name));
    out.U32(section.type);
    out.Number(section.flags, word);
    out.Number(0, word);
    out.Number(section.claimed_offset.value_or(i == 0 ? 0 : offsets[i]), word);
    out.Number(numbers ? sections.size() : section.claimed_size.value_or(section.bytes.size()), word);
    out.U32(numbers ? sections.size() - 1 : 0);
    out.U32(0);
    out.Number(1, word);
    out.Number(0, word);
  }
  return out.bytes();
}

}  // namespace culprit::binfmt
