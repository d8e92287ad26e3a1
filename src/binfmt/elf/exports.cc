#include "binfmt/elf/exports.h"

#include <algorithm>
#include <map>

#include "binfmt/elf/dynamic.h"
#include "binfmt/elf/reader.h"
#include "binfmt/elf/symbol_count.h"

namespace culprit::binfmt {
namespace {

constexpr int kWeak = 2;                   // STB_WEAK
constexpr uint16_t kVersionBits = 0x7fff;  // of DT_VERSYM; the highest bit hides a version from the linker

// The numbers in DT_VERSYM of versions that are called like the library they are asked of.
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

PeExports ReadElfExports(const base::ByteSource& source, const ElfFile& elf) {
  PeExports exports;
  exports.cut = true;
  const bool defines = IsNamedAfterItself(elf), asks = AsksByLibrary(elf);
  if (!elf.has_dynamic || (!defines && !asks)) return exports;
  ElfReader reader(source);
  reader.SetFormat(elf.bits(), elf.big_endian());
  const auto dynamic = FindDynamic(reader);
  if (!dynamic) return exports;
  const ElfDynamicTags tags = ReadDynamicTags(reader, elf.loads, *dynamic);
  const auto symbols = tags.symtab ? MapAddress(elf.loads, *tags.symtab) : std::nullopt;
  const auto numbers = tags.versym ? MapAddress(elf.loads, *tags.versym) : std::nullopt;
  const auto count = CountSymbols(reader, elf, tags);
  if (!symbols || !count) return exports;
  ElfStrings strings(reader, elf.loads, tags.strtab);
  const auto versions = VersionsOfLibraries(reader, elf, tags, strings);
  const uint64_t end = defines || !tags.gnu_hash ? count->end : count->first_defined;
  for (uint64_t i = 1; i < end; ++i) {
    const auto symbol = reader.Symbol(SaturatingAdd(symbols->offset, i * reader.symbol_size()));
    if (!symbol) return exports;
    if (symbol->section != SHN_UNDEF) {
      if (!defines) continue;
      auto name = strings.At(symbol->name);
      if (!name) return exports;
      exports.names.push_back(*std::move(name));
      continue;
    }
    const auto number = numbers ? reader.Half(SaturatingAdd(numbers->offset, 2 * i)) : std::nullopt;
    const auto version = number ? versions.find(*number & kVersionBits) : versions.end();
    if (version == versions.end() || symbol->info >> 4 == kWeak) continue;
    if (auto name = strings.At(symbol->name)) {
      exports.forwarders.push_back({.name = *std::move(name), .target = version->second});
    }
  }
  exports.cut = exports.names.empty();
  exports.Sort();
  return exports;
}

}  // namespace culprit::binfmt
