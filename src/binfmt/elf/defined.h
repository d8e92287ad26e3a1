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
  // Where the undefined symbols of the file end, if the table shows that without counting (CountUndefined).
  std::optional<uint64_t> EndOfUndefined() const { return end_of_undefined_; }

 private:
  // The parts of DT_GNU_HASH, in 32-bit words.
  size_t filter_at() const { return kHeader; }
  size_t buckets_at() const { return kHeader + size_t{2} * filter_words_; }
  size_t chains_at() const { return buckets_at() + bucket_count_; }
  static constexpr size_t kHeader = 4;

  std::vector<uint32_t> table_;  // as it is in the file
  uint32_t bucket_count_ = 0, first_ = 0, filter_words_ = 0,
           shift_ = 0;  // its header; a filter word has 64 bits
  // Of any other file: the hashes of all names, sorted; the lowest bit is set, as it is not in the table.
  std::vector<uint32_t> hashes_;
  std::optional<uint64_t> end_of_undefined_;

  static std::optional<ElfDefined> ReadTable(const base::ByteSource& source, uint64_t offset,
                                             uint64_t likely_end);
  // The table of a program at a fixed address also has functions that it only calls.
  bool DropUndefined(const base::ByteSource& source, uint64_t symbol_table);
};

}  // namespace culprit::binfmt
