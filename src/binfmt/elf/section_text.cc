#include "binfmt/elf/section_text.h"

#include "binfmt/elf/elf.h"
#include "binfmt/elf/sections.h"

namespace culprit::binfmt {

std::optional<std::string> ReadElfSection(const base::ByteSource& source, std::string_view name,
                                          uint64_t limit) {
  const ElfFile elf = ReadElf(source);
  if (elf.bits() == 0 || elf.problem == ElfProblem::kNotElf || elf.problem == ElfProblem::kTooShort) {
    return std::nullopt;
  }
  ElfReader reader(source);
  reader.SetFormat(elf.bits(), elf.big_endian());
  const auto header = reader.Header();
  const auto sections = header ? ReadElfSections(reader, *header) : std::nullopt;
  if (!sections) return std::nullopt;
  for (const ElfSection& section : *sections) {
    if (section.name != name || section.type == SHT_NOBITS) continue;
    if (section.size > limit || section.offset > source.size() ||
        section.size > source.size() - section.offset) {
      return std::nullopt;
    }
    std::string bytes(static_cast<size_t>(section.size), '\0');
    const auto read = source.ReadAt(section.offset, std::as_writable_bytes(std::span(bytes)));
    if (!read || *read != bytes.size()) return std::nullopt;
    return bytes;
  }
  return std::nullopt;
}

}  // namespace culprit::binfmt
