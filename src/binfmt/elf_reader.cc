// One record at a time: copy its bytes into an aligned struct, let libelf translate it in place, widen it.
// For files of this machine's own byte order libelf has nothing to do.
#include "binfmt/elf_reader.h"

namespace culprit::binfmt {
namespace {

template <typename Ehdr>
ElfHeaderRecord Widen(const Ehdr& raw) {
  return {.type = raw.e_type,
          .machine = raw.e_machine,
          .phentsize = raw.e_phentsize,
          .phnum = raw.e_phnum,
          .version = raw.e_version,
          .phoff = raw.e_phoff,
          .shoff = raw.e_shoff,
          .shentsize = raw.e_shentsize,
          .shnum = raw.e_shnum,
          .shstrndx = raw.e_shstrndx,
          .flags = raw.e_flags};
}

template <typename Shdr>
ElfSectionHeader WidenSectionHeader(const Shdr& raw) {
  return {.name = raw.sh_name,
          .type = raw.sh_type,
          .link = raw.sh_link,
          .flags = raw.sh_flags,
          .offset = raw.sh_offset,
          .size = raw.sh_size};
}

template <typename Phdr>
ElfProgramHeader WidenProgramHeader(const Phdr& raw) {
  return {.type = raw.p_type,
          .flags = raw.p_flags,
          .offset = raw.p_offset,
          .vaddr = raw.p_vaddr,
          .filesz = raw.p_filesz,
          .memsz = raw.p_memsz,
          .align = raw.p_align};
}

template <typename Sym>
ElfSymbol WidenSymbol(const Sym& raw) {
  return {.name = raw.st_name,
          .info = raw.st_info,
          .section = raw.st_shndx,
          .value = raw.st_value,
          .size = raw.st_size};
}

}  // namespace

ElfReader::ElfReader(const base::ByteSource& source) : bytes_(source) {
  // libelf refuses to translate before it has been asked for its version, once per process.
  [[maybe_unused]] static const unsigned int version = elf_version(EV_CURRENT);
}

void ElfReader::SetFormat(int bits, bool big_endian) {
  is64_ = bits == 64;
  encoding_ = big_endian ? ELFDATA2MSB : ELFDATA2LSB;
}

bool ElfReader::Translate(Elf_Type type, void* record, size_t size) const {
  Elf_Data data{};
  data.d_buf = record;
  data.d_type = type;
  data.d_version = EV_CURRENT;
  data.d_size = size;
  return (is64_ ? elf64_xlatetom(&data, &data, encoding_) : elf32_xlatetom(&data, &data, encoding_)) !=
         nullptr;
}

std::optional<ElfHeaderRecord> ElfReader::Header() {
  if (is64_) return Read<Elf64_Ehdr>(ELF_T_EHDR, 0).transform(Widen<Elf64_Ehdr>);
  return Read<Elf32_Ehdr>(ELF_T_EHDR, 0).transform(Widen<Elf32_Ehdr>);
}

std::optional<ElfProgramHeader> ElfReader::ProgramHeader(uint64_t offset) {
  if (is64_) return Read<Elf64_Phdr>(ELF_T_PHDR, offset).transform(WidenProgramHeader<Elf64_Phdr>);
  return Read<Elf32_Phdr>(ELF_T_PHDR, offset).transform(WidenProgramHeader<Elf32_Phdr>);
}

std::optional<ElfSectionHeader> ElfReader::SectionHeader(uint64_t offset) {
  if (is64_) return Read<Elf64_Shdr>(ELF_T_SHDR, offset).transform(WidenSectionHeader<Elf64_Shdr>);
  return Read<Elf32_Shdr>(ELF_T_SHDR, offset).transform(WidenSectionHeader<Elf32_Shdr>);
}

std::optional<ElfDynamicEntry> ElfReader::DynamicEntry(uint64_t offset) {
  if (is64_) {
    const auto raw = Read<Elf64_Dyn>(ELF_T_DYN, offset);
    if (!raw) return std::nullopt;
    return ElfDynamicEntry{raw->d_tag, raw->d_un.d_val};
  }
  const auto raw = Read<Elf32_Dyn>(ELF_T_DYN, offset);
  if (!raw) return std::nullopt;
  return ElfDynamicEntry{raw->d_tag, raw->d_un.d_val};
}

std::optional<ElfSymbol> ElfReader::Symbol(uint64_t offset) {
  if (is64_) return Read<Elf64_Sym>(ELF_T_SYM, offset).transform(WidenSymbol<Elf64_Sym>);
  return Read<Elf32_Sym>(ELF_T_SYM, offset).transform(WidenSymbol<Elf32_Sym>);
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
