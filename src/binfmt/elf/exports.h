// Which functions an ELF file has and which it requires from others, in the same form as the export table of
// a DLL.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "binfmt/elf/elf.h"
#include "binfmt/pe/pe.h"

namespace culprit::binfmt {

// Only libraries that name a symbol version after themselves are considered, as CUDA's do: libnvJitLink.so.12
// defines __nvJitLinkCreate_12_4@libnvJitLink.so.12.
//   names       what such a library defines; not read for any other file, and then `cut` is set
//   forwarders  what a file strictly requires from such libraries: the function, with the library as target
// A file that defines nothing at all also counts as cut: nothing is known about it.
PeExports ReadElfExports(const base::ByteSource& source, const ElfFile& elf);
// Only the forwarders, which take few reads: such a library may define tens of thousands of names.
std::vector<PeExports::Forwarder> ReadElfAsks(const base::ByteSource& source, const ElfFile& elf);

}  // namespace culprit::binfmt
