// The sections of an ELF file by name. ld.so never looks at them, and a file may lack them or lie in them; so
// only readers of what linkers and CUDA put into sections use this, and nothing of the loader model does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "binfmt/elf/reader.h"

namespace culprit::binfmt {

struct ElfSection {
  std::string name;  // "" when it could not be read
  uint32_t type = 0;
  uint64_t flags = 0, offset = 0, size = 0;
};

// All sections in the order of the table, the empty first one included; none when the file has no table.
// nullopt when the table is not that of the class or does not lie inside the file. The reader must have been
// told the format.
std::optional<std::vector<ElfSection>> ReadElfSections(ElfReader& reader, const ElfHeaderRecord& header);

}  // namespace culprit::binfmt
