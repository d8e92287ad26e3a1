#include "binfmt/testing/elf_sections_builder.h"

#include <elf.h>

#include <cstring>

namespace culprit::binfmt::testing {

std::string AddSections(std::string elf, const std::vector<std::pair<std::string, std::string>>& sections) {
  std::string names(1, '\0');
  std::vector<Elf64_Shdr> headers(1);
  const auto add = [&](const std::string& name, const std::string& contents, uint32_t type) {
    Elf64_Shdr header{};
    header.sh_name = static_cast<uint32_t>(names.size());
    header.sh_type = type;
    header.sh_offset = elf.size();
    names += name + '\0';
    header.sh_size = type == SHT_STRTAB ? names.size() : contents.size();
    elf += type == SHT_STRTAB ? names : contents;
    headers.push_back(header);
  };
  for (const auto& [name, contents] : sections) add(name, contents, SHT_PROGBITS);
  add(".shstrtab", "", SHT_STRTAB);
  while (elf.size() % 8 != 0) elf += '\0';
  Elf64_Ehdr header;
  std::memcpy(&header, elf.data(), sizeof header);
  header.e_shoff = elf.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<uint16_t>(headers.size());
  header.e_shstrndx = static_cast<uint16_t>(headers.size() - 1);
  std::memcpy(elf.data(), &header, sizeof header);
  elf.append(reinterpret_cast<const char*>(headers.data()), headers.size() * sizeof(Elf64_Shdr));
  return elf;
}

}  // namespace culprit::binfmt::testing
