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

// Looks up single names in such a library through its hash table, as ld.so does. Keeps the tables in memory:
// there are thousands of lookups, spread all over the tables.
class ElfDefinedNames {
 public:
  // nullopt if the library has no version named after itself, or its tables are not the usual ones (64-bit,
  // little endian, DT_GNU_HASH): use ReadElfExports then.
  static std::optional<ElfDefinedNames> Read(const base::ByteSource& source, const ElfFile& elf);
  bool Has(std::string_view name) const;

 private:
  struct Symbol {  // Elf64_Sym
    uint32_t name;
    uint8_t info, other;
    uint16_t section;
    uint64_t value, size;
  };

  uint32_t first_ = 0;  // the first symbol in the hash table
  std::vector<uint32_t> buckets_, chains_;
  std::vector<Symbol> symbols_;  // from first_ on
  std::vector<char> strings_;
};

}  // namespace culprit::binfmt
