// Which functions an ELF file has and which it asks of others, in the form that the export table of a DLL
// has.
#pragma once

#include "binfmt/elf/elf.h"
#include "binfmt/pe/pe.h"

namespace culprit::binfmt {

// Looked at are libraries that name a symbol version after themselves, as those of CUDA do:
// libnvJitLink.so.12 defines
// __nvJitLinkCreate_12_4@libnvJitLink.so.12.
//   names       what such a library defines; for any other file they are not read, and `cut` is set
//   forwarders  what a file asks of such libraries and cannot do without: the function, and as target the
//   library
// A file that defines nothing at all also counts as cut: nothing is known of it.
PeExports ReadElfExports(const base::ByteSource& source, const ElfFile& elf);

}  // namespace culprit::binfmt
