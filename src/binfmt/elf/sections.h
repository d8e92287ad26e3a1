// The sections of an ELF file by name. ld.so never looks at them, and a file may lack them or have wrong
// ones. So only code that reads what linkers and CUDA put into sections uses this, never the loader model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "binfmt/elf/reader.h"

namespace culprit::binfmt {

struct ElfSection {
  std::string name;  // "" if it could not be read
  uint32_t type = 0;
  uint64_t flags = 0, offset = 0, size = 0;
};

// All sections in table order, including the empty first one; none if the file has no table. nullopt if the
// table does not match the class or is outside the file. Set the reader's format first.
std::optional<std::vector<ElfSection>> ReadElfSections(ElfReader& reader, const ElfHeaderRecord& header);

}  // namespace culprit::binfmt
