// The CUDA runtime that is linked into a file (cudart_static, what nvcc links unless told otherwise). It has
// no name and no version there, but it holds the names of its functions and errors as constants, and each
// release has new ones.
#pragma once

#include <string>
#include <vector>

#include "base/bytes/byte_source.h"
#include "binfmt/elf/elf.h"
#include "binfmt/pe/pe.h"

namespace culprit::binfmt {

// The names that look like the runtime's ("cudaMalloc", "cudaErrorNoDevice") in the read-only data of a
// program or library, sorted. A file without the runtime has none or a few.
std::vector<std::string> RuntimeNames(const base::ByteSource& source, const ElfFile& elf);
std::vector<std::string> RuntimeNames(const base::ByteSource& source, const PeFile& pe);

}  // namespace culprit::binfmt
