#include "binfmt/elf/defined.h"

#include <algorithm>

#include "binfmt/elf/symbol_tables.h"

namespace culprit::binfmt {
namespace {

constexpr uint64_t kFilterBits = 64;

// The chains of a GNU hash table: one number for each symbol, starting at the first one; the last one of a
// bucket is odd. `least` is the minimum count.
std::optional<std::vector<uint32_t>> ReadChains(const base::ByteSource& source, uint64_t offset,
                                                uint64_t least) {
  constexpr uint64_t kMore = 64;  // longer than nearly all chains
  const uint64_t most = offset < source.size() ? (source.size() - offset) / sizeof(uint32_t) : 0;
  for (uint64_t count = least + kMore; count < kMaxElfSymbols; count *= 2) {
    auto chains = ReadNumbers<uint32_t>(source, offset, std::min(count, most));
    if (!chains || chains->size() < least) return std::nullopt;
    const auto last = std::find_if(chains->begin() + static_cast<ptrdiff_t>(least) - 1, chains->end(),
                                   [](uint32_t number) { return (number & 1) != 0; });
    if (last != chains->end()) {
      chains->erase(last + 1, chains->end());
      return chains;
    }
    if (count >= most) break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ElfDefined> ElfDefined::ReadTable(const base::ByteSource& source, const ElfFile& elf,
                                                uint64_t offset) {
  const auto table = MapAddress(elf.loads, offset);
  const auto header = table ? ReadNumbers<uint32_t>(source, table->offset, 4) : std::nullopt;
  if (!header || (*header)[0] == 0 || (*header)[2] == 0) return std::nullopt;
  ElfDefined defined;
  defined.first_ = (*header)[1];
  defined.shift_ = (*header)[3] % 32;
  const uint64_t filter = table->offset + 16, buckets = filter + uint64_t{(*header)[2]} * 8;
  const uint64_t chains = buckets + uint64_t{(*header)[0]} * 4;
  auto filter_words = ReadNumbers<uint64_t>(source, filter, (*header)[2]);
  auto bucket_words = ReadNumbers<uint32_t>(source, buckets, (*header)[0]);
  if (!filter_words || !bucket_words) return std::nullopt;
  defined.filter_ = *std::move(filter_words);
  defined.buckets_ = *std::move(bucket_words);
  const uint64_t last = *std::ranges::max_element(defined.buckets_);
  if (last == 0) {
    // Linkers leave the filter of an empty table empty; one that lets everything through was made up.
    if (std::ranges::any_of(defined.filter_, [](uint64_t word) { return word != 0; })) return std::nullopt;
    return defined;
  }
  if (last < defined.first_ || last >= kMaxElfSymbols) return std::nullopt;
  auto chain_words = ReadChains(source, chains, last - defined.first_ + 1);
  if (!chain_words) return std::nullopt;
  defined.chains_ = *std::move(chain_words);
  return defined;
}

std::optional<ElfDefined> ElfDefined::Read(const base::ByteSource& source, const ElfFile& elf) {
  ElfSymbolTables tables(source);
  if (!tables.Find(elf)) return std::nullopt;
  if (HasUsualRecords(elf) && tables.tags.gnu_hash) {
    auto defined = ReadTable(source, elf, *tables.tags.gnu_hash);
    if (defined && elf.type == ET_EXEC && !defined->DropUndefined(source, tables.symbols))
      return std::nullopt;
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
  const auto symbols = ReadNumbers<RawElfSymbol>(
      source, SaturatingAdd(symbol_table, uint64_t{first_} * sizeof(RawElfSymbol)), chains_.size());
  if (!symbols) return false;
  for (size_t i = 0; i < symbols->size(); ++i) {
    if ((*symbols)[i].section != SHN_UNDEF) hashes_.push_back(chains_[i] | 1);
  }
  std::ranges::sort(hashes_);
  chains_.clear();
  return true;
}

bool ElfDefined::Has(uint32_t hash) const {
  if (chains_.empty()) return std::ranges::binary_search(hashes_, hash | 1);
  const uint64_t word = filter_[hash / kFilterBits % filter_.size()];
  if ((word >> hash % kFilterBits & word >> (hash >> shift_) % kFilterBits & 1) == 0) return false;
  const uint32_t bucket = buckets_[hash % buckets_.size()];
  if (bucket < first_) return false;
  for (size_t i = bucket - first_; i < chains_.size(); ++i) {
    if ((chains_[i] | 1) == (hash | 1)) return true;
    if ((chains_[i] & 1) != 0) return false;  // the last of its bucket
  }
  return false;
}

}  // namespace culprit::binfmt
