// Numbers that do not fit into the header are in the first section (gABI, "Section Header", e_shnum 0 and
// SHN_XINDEX).
#include "binfmt/elf/sections.h"

namespace culprit::binfmt {
namespace {

constexpr uint64_t kMaxSectionName = 256;

}  // namespace

std::optional<std::vector<ElfSection>> ReadElfSections(ElfReader& reader, const ElfHeaderRecord& header) {
  std::vector<ElfSection> sections;
  if (header.shoff == 0) return sections;
  const uint64_t entry_size = reader.section_header_size();
  if (header.shentsize != entry_size) return std::nullopt;
  const auto first = reader.SectionHeader(header.shoff);
  if (!first) return std::nullopt;
  const uint64_t count = header.shnum != 0 ? header.shnum : first->size;
  const uint64_t names_index = header.shstrndx == SHN_XINDEX ? first->link : header.shstrndx;
  if (count > kMaxSections || header.shoff > reader.bytes().size() ||
      count * entry_size > reader.bytes().size() - header.shoff) {
    return std::nullopt;
  }
  std::optional<ElfSectionHeader> names;
  if (names_index < count) names = reader.SectionHeader(header.shoff + names_index * entry_size);
  if (names && names->type == SHT_NOBITS) names = std::nullopt;

  std::vector<uint32_t> name_offsets;
  sections.reserve(static_cast<size_t>(count));
  name_offsets.reserve(static_cast<size_t>(count));
  for (uint64_t i = 0; i < count; ++i) {
    const auto section = reader.SectionHeader(header.shoff + i * entry_size);
    if (!section) return std::nullopt;
    sections.push_back({"", section->type, section->flags, section->offset, section->size});
    name_offsets.push_back(section->name);
  }
  if (!names) return sections;
  // Names after headers, so that both tables are read front to back.
  uint64_t all_names_left = kMaxStringsTotal;
  for (size_t i = 0; i < sections.size() && all_names_left > 0; ++i) {
    if (name_offsets[i] == 0 || name_offsets[i] >= names->size) continue;
    uint64_t budget = std::min(kMaxSectionName, all_names_left);
    const uint64_t before = budget;
    const auto name = reader.bytes().CString(SaturatingAdd(names->offset, name_offsets[i]),
                                             SaturatingAdd(names->offset, names->size), budget);
    all_names_left -= before - budget;
    if (name) sections[i].name = *name;
  }
  return sections;
}

}  // namespace culprit::binfmt
