// Which function an address of an ELF file belongs to, for the places of a crash.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "binfmt/elf/elf.h"

namespace culprit::binfmt {

// For each address (as in the file, not in memory) the name of the function whose symbol holds it, of .symtab
// where the file has one, else of the exported ones; "" for none: an address behind the end of an exported
// function lies in one whose name the file no longer has. Names are as they stand in the file.
std::vector<std::string> FunctionsAt(const base::ByteSource& source, const ElfFile& elf,
                                     const std::vector<uint64_t>& addresses);

}  // namespace culprit::binfmt
