// Finds the function that contains an address in an ELF file, for crash reports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "binfmt/elf/elf.h"

namespace culprit::binfmt {

// For each address (as in the file, not in memory), the name of the function whose symbol covers it: from
// .symtab if the file has one, else from the exported symbols. "" if there is none: an address after the end
// of an exported function is in a function whose name was stripped. Names are as in the file.
std::vector<std::string> FunctionsAt(const base::ByteSource& source, const ElfFile& elf,
                                     const std::vector<uint64_t>& addresses);

}  // namespace culprit::binfmt
