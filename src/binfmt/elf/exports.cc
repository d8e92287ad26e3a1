#include "binfmt/elf/exports.h"

#include <algorithm>
#include <map>
#include <utility>

#include "binfmt/elf/symbol_count.h"
#include "binfmt/elf/symbol_tables.h"
#include "binfmt/elf/undefined.h"

namespace culprit::binfmt {
namespace {

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

}  // namespace

std::vector<PeExports::Forwarder> ReadElfAsks(const base::ByteSource& source, const ElfFile& elf) {
  std::vector<PeExports::Forwarder> asks;
  ElfSymbolTables tables(source);
  if (!AsksByLibrary(elf) || !tables.Find(elf)) return asks;
  ElfStrings strings(tables.reader, elf.loads, tables.tags.strtab);
  const auto versions = VersionsOfLibraries(tables.reader, elf, tables.tags, strings);
  std::vector<uint8_t> counts(versions.empty() ? 0 : versions.rbegin()->first + size_t{1});
  for (const auto& [number, unused] : versions) counts[number] = 1;
  const auto end = CountUndefined(tables.reader, elf, tables.tags);
  const auto undefined = end ? ReadUndefined(source, elf, tables, *end, counts) : std::nullopt;
  if (!undefined) return asks;
  asks.reserve(undefined->size());
  VisitNames(source, elf, tables.tags, *undefined, [&](const ElfUndefined& symbol, std::string_view name) {
    asks.push_back({.name = std::string(name), .target = versions.at(symbol.version)});
  });
  std::ranges::sort(asks, {}, &PeExports::Forwarder::name);
  return asks;
}

PeExports ReadElfExports(const base::ByteSource& source, const ElfFile& elf) {
  PeExports exports{.forwarders = ReadElfAsks(source, elf), .cut = true};
  ElfSymbolTables tables(source);
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

}  // namespace culprit::binfmt
