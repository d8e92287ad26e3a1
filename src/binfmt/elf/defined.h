// Whether an ELF file defines a symbol, looked up as ld.so does: through the hash table. The symbols and
// their names, which are many times larger, are not read. A name counts as defined if its hash is in the
// table: two names that differ have the same one in one of two billion cases.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "binfmt/elf/elf.h"
#include "binfmt/elf/symbol_count.h"

namespace culprit::binfmt {

class ElfDefined {
 public:
  // nullopt if that is not known: the tables are not inside the file, or somebody made up a file without
  // saying what it defines (ElfSpec::words is empty).
  static std::optional<ElfDefined> Read(const base::ByteSource& source, const ElfFile& elf);
  bool Has(std::string_view name) const { return Has(GnuHash(name)); }
  bool Has(uint32_t gnu_hash) const;

 private:
  // DT_GNU_HASH as it is in the file.
  uint32_t first_ = 0, shift_ = 0;  // first_: the first symbol in the table
  std::vector<uint64_t> filter_;
  std::vector<uint32_t> buckets_, chains_;
  // Of any other file: the hashes of all names, sorted; the lowest bit is set, as it is not in the table.
  std::vector<uint32_t> hashes_;

  static std::optional<ElfDefined> ReadTable(const base::ByteSource& source, const ElfFile& elf,
                                             uint64_t offset);
  // The table of a program at a fixed address also has functions that it only calls.
  bool DropUndefined(const base::ByteSource& source, uint64_t symbol_table);
};

}  // namespace culprit::binfmt
