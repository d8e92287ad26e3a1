#include "binfmt/elf/exports.h"

#include <algorithm>
#include <bit>
#include <map>
#include <span>
#include <utility>

#include "binfmt/elf/dynamic.h"
#include "binfmt/elf/reader.h"
#include "binfmt/elf/symbol_count.h"

namespace culprit::binfmt {
namespace {

constexpr int kWeak = 2;                   // STB_WEAK
constexpr uint16_t kVersionBits = 0x7fff;  // of DT_VERSYM; the highest bit hides a version from the linker

// The DT_VERSYM numbers of versions that are named after the library they are required from.
std::map<uint16_t, std::string> VersionsOfLibraries(ElfReader& reader, const ElfFile& elf,
                                                    const ElfDynamicTags& tags, ElfStrings& strings) {
  std::map<uint16_t, std::string> versions;
  const auto table = tags.verneed ? MapAddress(elf.loads, *tags.verneed) : std::nullopt;
  if (!table) return versions;
  uint64_t at = table->offset, left = kMaxVersionRecords;
  while (left-- > 0) {
    const auto need = reader.Words<3>(SaturatingAdd(at, 4));  // file, first version, next file
    const auto file = need ? strings.At((*need)[0]) : std::nullopt;
    if (!file) break;
    for (uint64_t item = SaturatingAdd(at, (*need)[1]); left-- > 0;) {
      const auto number = reader.Half(SaturatingAdd(item, 6));
      const auto name_next = reader.Words<2>(SaturatingAdd(item, 8));
      if (!number || !name_next) break;
      if (strings.At((*name_next)[0]) == file) versions[*number & kVersionBits] = *file;
      if ((*name_next)[1] == 0) break;
      item = SaturatingAdd(item, (*name_next)[1]);
    }
    if ((*need)[2] == 0) break;
    at = SaturatingAdd(at, (*need)[2]);
  }
  return versions;
}

bool IsNamedAfterItself(const ElfFile& elf) {
  return elf.soname && std::ranges::find(elf.version_defs, *elf.soname) != elf.version_defs.end();
}

bool AsksByLibrary(const ElfFile& elf) {
  return std::ranges::any_of(elf.version_needs, [](const ElfVersionNeed& need) {
    return std::ranges::any_of(need.versions, [&](const auto& version) { return version.name == need.file; });
  });
}

// Where the tables of a file are that has such names or requires them.
struct Tables {
  ElfReader reader;
  ElfDynamicTags tags;
  uint64_t symbols = 0;  // offset of the symbol table

  explicit Tables(const base::ByteSource& source) : reader(source) {}

  bool Find(const ElfFile& elf) {
    if (!elf.has_dynamic) return false;
    reader.SetFormat(elf.bits(), elf.big_endian());
    const auto dynamic = FindDynamic(reader);
    if (!dynamic) return false;
    tags = ReadDynamicTags(reader, elf.loads, *dynamic);
    const auto table = tags.symtab ? MapAddress(elf.loads, *tags.symtab) : std::nullopt;
    if (table) symbols = table->offset;
    return table.has_value();
  }
  std::optional<ElfSymbol> Symbol(uint64_t index) {
    return reader.Symbol(SaturatingAdd(symbols, index * reader.symbol_size()));
  }
};

// `count` numbers or records starting at `offset`, with their bytes as in the file.
template <typename Number>
std::optional<std::vector<Number>> ReadNumbers(const base::ByteSource& source, uint64_t offset,
                                               uint64_t count) {
  if (offset > source.size() || count > (source.size() - offset) / sizeof(Number)) return std::nullopt;
  std::vector<Number> numbers(static_cast<size_t>(count));
  const auto bytes = std::as_writable_bytes(std::span(numbers));
  const auto read = source.ReadAt(offset, bytes);
  if (!read || *read != bytes.size()) return std::nullopt;
  return numbers;
}

// The chains of a GNU hash table: one number for each symbol, starting at the first one; the last one of a
// bucket is odd. `least` is the minimum count.
std::optional<std::vector<uint32_t>> ReadChains(const base::ByteSource& source, uint64_t offset,
                                                uint64_t least) {
  auto chains = ReadNumbers<uint32_t>(source, offset, least);
  while (chains && (chains->back() & 1) == 0) {
    const auto next = ReadNumbers<uint32_t>(source, SaturatingAdd(offset, 4 * chains->size()), 1);
    if (!next || chains->size() >= kMaxElfSymbols) return std::nullopt;
    chains->push_back(next->front());
  }
  return chains;
}

}  // namespace

std::vector<PeExports::Forwarder> ReadElfAsks(const base::ByteSource& source, const ElfFile& elf) {
  std::vector<PeExports::Forwarder> asks;
  Tables tables(source);
  if (!AsksByLibrary(elf) || !tables.Find(elf)) return asks;
  const auto table = tables.tags.versym ? MapAddress(elf.loads, *tables.tags.versym) : std::nullopt;
  const auto end = CountUndefined(tables.reader, elf, tables.tags);
  auto numbers = table && end ? ReadNumbers<uint16_t>(source, table->offset, *end) : std::nullopt;
  if (!numbers) return asks;
  if (elf.big_endian() != (std::endian::native == std::endian::big)) {
    for (uint16_t& number : *numbers) number = std::byteswap(number);
  }
  ElfStrings strings(tables.reader, elf.loads, tables.tags.strtab);
  const auto versions = VersionsOfLibraries(tables.reader, elf, tables.tags, strings);
  // Few of the numbers matter, so a symbol is read only if its number does.
  for (size_t i = 1; i < numbers->size(); ++i) {
    const auto version = versions.find((*numbers)[i] & kVersionBits);
    const auto symbol = version != versions.end() ? tables.Symbol(i) : std::nullopt;
    if (!symbol || symbol->section != SHN_UNDEF || symbol->info >> 4 == kWeak) continue;
    if (auto name = strings.At(symbol->name)) {
      asks.push_back({.name = *std::move(name), .target = version->second});
    }
  }
  std::ranges::sort(asks, {}, &PeExports::Forwarder::name);
  return asks;
}

PeExports ReadElfExports(const base::ByteSource& source, const ElfFile& elf) {
  PeExports exports{.forwarders = ReadElfAsks(source, elf), .cut = true};
  Tables tables(source);
  if (!IsNamedAfterItself(elf) || !tables.Find(elf)) return exports;
  const auto count = CountSymbols(tables.reader, elf, tables.tags);
  if (!count) return exports;
  ElfStrings strings(tables.reader, elf.loads, tables.tags.strtab);
  for (uint64_t i = count->first_defined; i < count->end; ++i) {
    const auto symbol = tables.Symbol(i);
    if (!symbol) return exports;
    if (symbol->section == SHN_UNDEF) continue;
    auto name = strings.At(symbol->name);
    if (!name) return exports;
    exports.names.push_back(*std::move(name));
  }
  exports.cut = exports.names.empty();
  exports.Sort();
  return exports;
}

std::optional<ElfDefinedNames> ElfDefinedNames::Read(const base::ByteSource& source, const ElfFile& elf) {
  Tables tables(source);
  const bool usual = elf.bits() == 64 && !elf.big_endian() && std::endian::native == std::endian::little;
  if (!usual || !IsNamedAfterItself(elf) || !tables.Find(elf)) return std::nullopt;
  const ElfDynamicTags& tags = tables.tags;
  if (!tags.gnu_hash || !tags.strtab || !tags.strsz || *tags.strsz > kMaxStringsTotal) return std::nullopt;
  const auto hash = MapAddress(elf.loads, *tags.gnu_hash);
  const auto text = MapAddress(elf.loads, *tags.strtab);
  if (!hash || !text) return std::nullopt;
  const auto header = tables.reader.Words<4>(hash->offset);
  if (!header) return std::nullopt;
  const auto [bucket_count, first, bloom_count, bloom_shift] = *header;
  const uint64_t at = SaturatingAdd(hash->offset, 16 + uint64_t{bloom_count} * 8);
  auto buckets = ReadNumbers<uint32_t>(source, at, bucket_count);
  const uint64_t last = buckets && !buckets->empty() ? *std::ranges::max_element(*buckets) : 0;
  if (last == 0 || last < first || last >= kMaxElfSymbols) return std::nullopt;
  auto chains = ReadChains(source, SaturatingAdd(at, uint64_t{bucket_count} * 4), last - first + 1);
  if (!chains) return std::nullopt;
  auto symbols =
      ReadNumbers<Symbol>(source, SaturatingAdd(tables.symbols, first * sizeof(Symbol)), chains->size());
  auto strings = ReadNumbers<char>(source, text->offset, *tags.strsz);
  if (!symbols || !strings) return std::nullopt;
  strings->push_back('\0');
  ElfDefinedNames names;
  names.first_ = first;
  names.buckets_ = *std::move(buckets);
  names.chains_ = *std::move(chains);
  names.symbols_ = *std::move(symbols);
  names.strings_ = *std::move(strings);
  return names;
}

bool ElfDefinedNames::Has(std::string_view name) const {
  const uint32_t hash = GnuHash(name);
  const uint32_t bucket = buckets_[hash % buckets_.size()];
  if (bucket < first_) return false;
  for (size_t i = bucket - first_; i < chains_.size(); ++i) {
    const Symbol& symbol = symbols_[i];
    if ((chains_[i] | 1) == (hash | 1) && symbol.section != SHN_UNDEF && symbol.name < strings_.size() &&
        strings_.data() + symbol.name == name) {
      return true;
    }
    if ((chains_[i] & 1) != 0) return false;  // the last of its bucket
  }
  return false;
}

}  // namespace culprit::binfmt
