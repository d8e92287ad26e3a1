#include "binfmt/elf/defined.h"

#include <algorithm>
#include <utility>

#include "binfmt/elf/symbol_tables.h"

namespace culprit::binfmt {
namespace {

constexpr uint64_t kFilterBits = 64;

// Reads more of a table that begins at `offset`, so that it has `count` words; false if the file has not.
bool Extend(const base::ByteSource& source, uint64_t offset, uint64_t count, std::vector<uint32_t>& words) {
  if (count <= words.size()) return true;
  auto more = ReadNumbers<uint32_t>(source, offset, count);
  if (!more) return false;
  words = *std::move(more);
  return true;
}

}  // namespace

// `likely_end`: where the next table begins. Nearly always, that is the end, and one reading gets all.
std::optional<ElfDefined> ElfDefined::ReadTable(const base::ByteSource& source, uint64_t offset,
                                                uint64_t likely_end) {
  ElfDefined defined;
  std::vector<uint32_t>& words = defined.table_;
  const auto extend = [&](uint64_t count) { return Extend(source, offset, count, words); };
  if (const uint64_t likely = (likely_end - offset) / sizeof(uint32_t); likely < kMaxElfSymbols)
    extend(likely);
  if (!extend(kHeader)) return std::nullopt;
  defined.bucket_count_ = words[0];
  defined.first_ = words[1];
  defined.filter_words_ = words[2];
  defined.shift_ = words[3] % 32;
  if (words[0] == 0 || words[2] == 0 || !extend(defined.chains_at())) return std::nullopt;
  const auto part = [&](size_t from, size_t to) { return std::span(words).subspan(from, to - from); };
  const uint64_t last = std::ranges::max(part(defined.buckets_at(), defined.chains_at()));
  if (last == 0) {
    // Linkers leave the filter of an empty table empty; one that lets everything through was made up.
    if (std::ranges::any_of(part(kHeader, defined.buckets_at()), [](uint32_t word) { return word != 0; }))
      return std::nullopt;
    words.clear();
    return defined;
  }
  if (last < defined.first_ || last >= kMaxElfSymbols) return std::nullopt;
  // One number for each symbol, starting at the first one; the last one of a bucket is odd.
  const uint64_t most =
      std::min((source.size() - offset) / sizeof(uint32_t), defined.chains_at() + kMaxElfSymbols);
  uint64_t more = 64;  // longer than nearly all chains
  for (uint64_t at = defined.chains_at() + (last - defined.first_); at < most; ++at) {
    if (at >= words.size() && !extend(std::min(at + std::exchange(more, 8 * more), most))) break;
    if ((words[at] & 1) == 0) continue;
    words.resize(at + 1);
    return defined;
  }
  return std::nullopt;
}

std::optional<ElfDefined> ElfDefined::Read(const base::ByteSource& source, const ElfFile& elf) {
  ElfSymbolTables tables(source);
  if (!tables.Find(elf)) return std::nullopt;
  if (HasUsualRecords(elf) && tables.tags.gnu_hash) {
    const auto table = MapAddress(elf.loads, *tables.tags.gnu_hash);
    if (!table) return std::nullopt;
    uint64_t next = tables.symbols;
    if (next < table->offset && tables.tags.strtab)
      next = MapAddress(elf.loads, *tables.tags.strtab).value_or(*table).offset;
    auto defined = ReadTable(source, table->offset, std::max(next, table->offset));
    if (defined && elf.type == ET_EXEC && !defined->DropUndefined(source, tables.symbols))
      return std::nullopt;
    if (defined && elf.type != ET_EXEC && defined->bucket_count_ > 1 && defined->first_ <= kMaxElfSymbols)
      defined->end_of_undefined_ = defined->first_;
    return defined;
  }
  const auto count = CountSymbols(tables.reader, elf, tables.tags);
  if (!count) return std::nullopt;
  ElfStrings strings(tables.reader, elf.loads, tables.tags.strtab);
  ElfDefined defined;
  for (uint64_t i = count->first_defined; i < count->end; ++i) {
    const auto symbol = tables.Symbol(i);
    if (!symbol) return std::nullopt;
    if (symbol->section == SHN_UNDEF) continue;
    const auto name = strings.At(symbol->name);
    if (!name) return std::nullopt;
    defined.hashes_.push_back(GnuHash(*name) | 1);
  }
  std::ranges::sort(defined.hashes_);
  return defined;
}

bool ElfDefined::DropUndefined(const base::ByteSource& source, uint64_t symbol_table) {
  const auto symbols =
      ReadNumbers<RawElfSymbol>(source, SaturatingAdd(symbol_table, uint64_t{first_} * sizeof(RawElfSymbol)),
                                table_.size() - std::min(chains_at(), table_.size()));
  if (!symbols) return false;
  for (size_t i = 0; i < symbols->size(); ++i) {
    if ((*symbols)[i].section != SHN_UNDEF) hashes_.push_back(table_[chains_at() + i] | 1);
  }
  std::ranges::sort(hashes_);
  table_.clear();
  return true;
}

bool ElfDefined::Has(uint32_t hash) const {
  if (table_.empty()) return std::ranges::binary_search(hashes_, hash | 1);
  const uint32_t* const words = &table_[filter_at() + hash / kFilterBits % filter_words_ * 2];
  const uint64_t word = words[0] | uint64_t{words[1]} << 32;
  if ((word >> hash % kFilterBits & word >> (hash >> shift_) % kFilterBits & 1) == 0) return false;
  const uint32_t bucket = table_[buckets_at() + hash % bucket_count_];
  if (bucket < first_) return false;
  for (size_t i = chains_at() + (bucket - first_); i < table_.size(); ++i) {
    if ((table_[i] | 1) == (hash | 1)) return true;
    if ((table_[i] & 1) != 0) return false;  // the last of its bucket
  }
  return false;
}

}  // namespace culprit::binfmt
