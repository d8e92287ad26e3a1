// A cubin by itself: an ELF file whose machine is the GPU.
#pragma once

#include <vector>

#include "binfmt/elf/reader.h"
#include "binfmt/elf/sections.h"
#include "binfmt/gpu/fatbin.h"

namespace culprit::binfmt {

// What it was compiled for. That code is for a family ('f') is not visible in a cubin: fatbin flags alone say
// it, so such a cubin comes out without suffix, as cuobjdump names it.
GpuTarget CubinTarget(ElfReader& reader, const ElfFile& elf, const ElfHeaderRecord& header,
                      const std::vector<ElfSection>& sections);

}  // namespace culprit::binfmt
