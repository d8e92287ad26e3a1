// The value of one exported object. The symbol is found as ld.so finds it, through DT_GNU_HASH or the older
// DT_HASH, because the length of .dynsym is not stored anywhere. Symbol versions are ignored.
#include <algorithm>

#include "binfmt/elf/dynamic.h"
#include "binfmt/elf/elf.h"
#include "binfmt/elf/reader.h"
#include "binfmt/elf/symbol_count.h"

namespace culprit::binfmt {
namespace {

constexpr uint64_t kMaxChain = 65536;  // limit for the symbols of one bucket

class SymbolTable {
 public:
  SymbolTable(ElfReader& reader, std::span<const ElfSegment> loads, const ElfDynamicTags& tags)
      : reader_(reader), loads_(loads), strings_(reader, loads, tags.strtab) {
    if (tags.symtab) symbols_ = MapAddress(loads, *tags.symtab);
  }

  // The defined symbol with this name, or nullopt.
  std::optional<ElfSymbol> FindByGnuHash(uint64_t table, std::string_view name);
  std::optional<ElfSymbol> FindBySysvHash(uint64_t table, std::string_view name);

 private:
  std::optional<ElfSymbol> Match(uint64_t index, std::string_view name) {
    if (!symbols_) return std::nullopt;
    const auto symbol = reader_.Symbol(SaturatingAdd(symbols_->offset, index * reader_.symbol_size()));
    if (!symbol || symbol->section == SHN_UNDEF || strings_.At(symbol->name) != name) return std::nullopt;
    return symbol;
  }

  ElfReader& reader_;
  std::span<const ElfSegment> loads_;
  ElfStrings strings_;
  std::optional<FileRange> symbols_;
};

std::optional<ElfSymbol> SymbolTable::FindByGnuHash(uint64_t table, std::string_view name) {
  const auto range = MapAddress(loads_, table);
  if (!range) return std::nullopt;
  const auto header = reader_.Words<4>(range->offset);
  if (!header) return std::nullopt;
  const auto [bucket_count, first_symbol, bloom_count, bloom_shift] = *header;
  if (bucket_count == 0) return std::nullopt;

  const uint32_t hash = GnuHash(name);
  const uint64_t buckets =
      SaturatingAdd(range->offset, 16 + uint64_t{bloom_count} * (reader_.is64() ? 8 : 4));
  const uint64_t chains = SaturatingAdd(buckets, 4 * uint64_t{bucket_count});
  const auto first = reader_.Word(SaturatingAdd(buckets, 4 * uint64_t{hash % bucket_count}));
  if (!first || *first < first_symbol) return std::nullopt;
  for (uint64_t index = *first; index - *first < kMaxChain; ++index) {
    const auto link = reader_.Word(SaturatingAdd(chains, 4 * (index - first_symbol)));
    if (!link) return std::nullopt;
    if ((*link | 1) == (hash | 1)) {
      if (auto symbol = Match(index, name)) return symbol;
    }
    if (*link & 1) return std::nullopt;  // the last of its bucket
  }
  return std::nullopt;
}

std::optional<ElfSymbol> SymbolTable::FindBySysvHash(uint64_t table, std::string_view name) {
  const auto range = MapAddress(loads_, table);
  if (!range) return std::nullopt;
  const auto header = reader_.Words<2>(range->offset);
  if (!header) return std::nullopt;
  const auto [bucket_count, chain_count] = *header;
  if (bucket_count == 0) return std::nullopt;

  uint32_t hash = 0;
  for (const char c : name) {
    hash = (hash << 4) + static_cast<unsigned char>(c);
    hash = (hash ^ ((hash & 0xf0000000) >> 24)) & 0x0fffffff;
  }
  const uint64_t buckets = SaturatingAdd(range->offset, 8);
  const uint64_t chains = SaturatingAdd(buckets, 4 * uint64_t{bucket_count});
  auto index = reader_.Word(SaturatingAdd(buckets, 4 * uint64_t{hash % bucket_count}));
  for (uint64_t steps = std::min<uint64_t>(chain_count, kMaxChain); steps > 0; --steps) {
    if (!index || *index == STN_UNDEF || *index >= chain_count) return std::nullopt;
    if (auto symbol = Match(*index, name)) return symbol;
    index = reader_.Word(SaturatingAdd(chains, 4 * uint64_t{*index}));
  }
  return std::nullopt;
}

}  // namespace

std::optional<uint32_t> ReadElfWord(const base::ByteSource& source, const ElfFile& elf,
                                    std::string_view symbol) {
  if (elf.tags == nullptr) return std::nullopt;
  ElfReader reader(source);
  reader.SetFormat(elf.bits(), elf.big_endian());
  const ElfDynamicTags& tags = *elf.tags;
  SymbolTable table(reader, elf.loads, tags);
  std::optional<ElfSymbol> found;
  if (tags.gnu_hash) {
    found = table.FindByGnuHash(*tags.gnu_hash, symbol);
  } else if (tags.sysv_hash) {
    found = table.FindBySysvHash(*tags.sysv_hash, symbol);
  }
  if (!found || (found->info & 0xf) != STT_OBJECT || found->size != sizeof(uint32_t)) {
    return std::nullopt;
  }
  const auto place = MapAddress(elf.loads, found->value);
  if (!place || place->end - place->offset < sizeof(uint32_t)) return std::nullopt;
  return reader.Word(place->offset);
}

}  // namespace culprit::binfmt
