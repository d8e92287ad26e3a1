// File names of libraries among the constants of a program or library that opens libraries by name: what it
// may open at run time, according to its strings. A name in a file is no proof that the code uses it.
#pragma once

#include <string>
#include <vector>

#include "binfmt/elf/elf.h"
#include "binfmt/pe/pe.h"

namespace culprit::binfmt {

// Whole texts such as "libcudnn.so.9", sorted, without those that have a directory; read from the sections
// .rodata*. None if the file has no symbol dlopen or dlmopen, or has no sections. At most 64 MiB are read.
std::vector<std::string> ReadLibraryNames(const base::ByteSource& source, const ElfFile& elf);
// Whole texts such as "cudnn64_8.dll", of one or two bytes a letter; read from the sections with data. None
// if the file imports no LoadLibrary.
std::vector<std::string> ReadLibraryNames(const base::ByteSource& source, const PeFile& pe);

}  // namespace culprit::binfmt
