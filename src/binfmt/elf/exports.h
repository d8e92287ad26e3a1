// Which functions an ELF file has and which it asks of others, in the form that the export table of a DLL
// has.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

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
// The forwarders alone, which cost a few reads: such a library may define tens of thousands of names.
std::vector<PeExports::Forwarder> ReadElfAsks(const base::ByteSource& source, const ElfFile& elf);

// Single names of such a library, found through its hash table as ld.so finds them. Its tables are held in
// memory: thousands of functions are asked for, and they lie all over the tables.
class ElfDefinedNames {
 public:
  // nullopt when the library names no version after itself, or its tables are not the usual ones (64 bits,
  // little endian, DT_GNU_HASH): then ReadElfExports tells.
  static std::optional<ElfDefinedNames> Read(const base::ByteSource& source, const ElfFile& elf);
  bool Has(std::string_view name) const;

 private:
  struct Symbol {  // Elf64_Sym
    uint32_t name;
    uint8_t info, other;
    uint16_t section;
    uint64_t value, size;
  };

  uint32_t first_ = 0;  // the first symbol that the hash table knows
  std::vector<uint32_t> buckets_, chains_;
  std::vector<Symbol> symbols_;  // from first_ on
  std::vector<char> strings_;
};

}  // namespace culprit::binfmt
