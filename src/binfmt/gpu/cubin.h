// A standalone cubin: an ELF file whose machine is the GPU.
#pragma once

#include <vector>

#include "binfmt/elf/reader.h"
#include "binfmt/elf/sections.h"
#include "binfmt/gpu/fatbin.h"

namespace culprit::binfmt {

// What it was compiled for. A cubin does not show that its code is for a family ('f'), only fatbin flags do.
// So such a cubin has no suffix here, like in cuobjdump.
GpuTarget CubinTarget(ElfReader& reader, const ElfFile& elf, const ElfHeaderRecord& header,
                      const std::vector<ElfSection>& sections);

}  // namespace culprit::binfmt
