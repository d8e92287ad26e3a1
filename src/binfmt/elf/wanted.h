// What an ELF file requires of the process it is loaded into: strong undefined symbols without a version,
// which any object may define. ("undefined symbol: ncclCommWindowRegister")
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "binfmt/elf/elf.h"

namespace culprit::binfmt {

struct ElfWanted {
  uint32_t hash = 0;   // GnuHash of its name
  uint32_t name = 0;   // offset in the string table
  uint32_t index = 0;  // in the symbol table
};
// In the order of their names' offsets; nullopt if the tables are not inside the file. `end`: of the
// undefined symbols, if that is known (ElfDefined::EndOfUndefined).
std::optional<std::vector<ElfWanted>> ReadElfWanted(const base::ByteSource& source, const ElfFile& elf,
                                                    std::optional<uint64_t> end = std::nullopt);

struct ElfUnbound {
  std::string name;
  bool at_load = false;  // otherwise only at the first call, unless the file or its opener binds at once
};
// Those of `wanted` that a relocation refers to, in the order of the symbol table; the loader looks for no
// others. Reads all relocations.
std::vector<ElfUnbound> ReadElfUnbound(const base::ByteSource& source, const ElfFile& elf,
                                       std::span<const ElfWanted> wanted);

// For each name, the name that the file defines and that agrees with it longest from the start, or "" if they
// agree in less than the first word (a namespace, a prefix such as "nccl"). Reads all names.
std::vector<std::string> FindNearestNames(const base::ByteSource& source, const ElfFile& elf,
                                          std::span<const std::string> names);

}  // namespace culprit::binfmt
