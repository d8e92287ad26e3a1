#include "binfmt/elf/wanted.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string_view>

#include "binfmt/elf/symbol_count.h"
#include "binfmt/elf/symbol_tables.h"
#include "binfmt/elf/undefined.h"

namespace culprit::binfmt {
namespace {

constexpr uint64_t kMaxRelocations = 1u << 24;
constexpr uint64_t kMaxNames = 64u << 20;  // bytes of a string table that is read as a whole

// Of no version, or of the file itself.
constexpr std::array<uint8_t, 2> kNoVersion = {1, 1};

struct Relocations {
  uint64_t offset = 0, end = 0;  // in the file
  bool addends = false;
};

Relocations FindRelocations(const ElfFile& elf, std::optional<uint64_t> address, std::optional<uint64_t> size,
                            bool addends) {
  const auto table = address && size ? MapAddress(elf.loads, *address) : std::nullopt;
  if (!table) return {};
  return {table->offset, table->offset + std::min(*size, table->end - table->offset), addends};
}

// Marks the symbols that a table refers to with `value`, unless they have a larger one. Some tables also
// contain those of the calls, `other`, which do not count then.
void MarkRelocations(ElfSymbolTables& tables, const Relocations& table, const Relocations& other, int value,
                     std::map<uint64_t, int>& marks) {
  const bool is64 = tables.reader.is64();
  const uint64_t word = is64 ? 8 : 4, entry = word * (table.addends ? 3 : 2);
  const uint64_t count = std::min((table.end - table.offset) / entry, kMaxRelocations);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t at = table.offset + i * entry + word;
    if (at >= other.offset && at < other.end) continue;
    uint64_t symbol = 0, kind = 0;
    if (is64) {
      const auto info = tables.reader.Words<2>(at);
      if (!info) return;
      symbol = (*info)[tables.reader.big_endian() ? 0 : 1];
      kind = (*info)[tables.reader.big_endian() ? 1 : 0];
    } else {
      const auto info = tables.reader.Word(at);
      if (!info) return;
      symbol = *info >> 8;
      kind = *info & 0xff;
    }
    const auto mark = kind != 0 ? marks.find(symbol) : marks.end();
    if (mark != marks.end()) mark->second = std::max(mark->second, value);
  }
}

// Where the first word of a name ends, mangled or not: 7 for _ZN3c106detail..., 4 for ncclCommInitRank.
size_t EndOfFirstWord(std::string_view name) {
  constexpr size_t kPlain = 4;
  if (!name.starts_with("_Z")) return kPlain;
  size_t at = 2;
  while (at < name.size() && (name[at] < '0' || name[at] > '9')) ++at;
  size_t length = 0;
  while (at < name.size() && name[at] >= '0' && name[at] <= '9' && length < name.size())
    length = length * 10 + static_cast<size_t>(name[at++] - '0');
  return at + length;
}

}  // namespace

std::optional<std::vector<ElfWanted>> ReadElfWanted(const base::ByteSource& source, const ElfFile& elf,
                                                    std::optional<uint64_t> end) {
  std::vector<ElfWanted> wanted;
  ElfSymbolTables tables(source);
  if (!tables.Find(elf)) return wanted;
  if (!end) end = CountUndefined(tables.reader, elf, tables.tags);
  const auto undefined = end ? ReadUndefined(source, elf, tables, *end, kNoVersion) : std::nullopt;
  if (!undefined) return std::nullopt;
  wanted.reserve(undefined->size());
  const bool named = VisitNames(source, elf, tables.tags, *undefined,
                                [&](const ElfUndefined& symbol, std::string_view name) {
                                  wanted.push_back({GnuHash(name), symbol.name, symbol.index});
                                });
  if (!named) return std::nullopt;
  return wanted;
}

std::vector<ElfUnbound> ReadElfUnbound(const base::ByteSource& source, const ElfFile& elf,
                                       std::span<const ElfWanted> wanted) {
  enum { kNowhere, kByCalls, kAtLoad };
  std::vector<ElfUnbound> unbound;
  ElfSymbolTables tables(source);
  if (wanted.empty() || !tables.Find(elf)) return unbound;
  std::map<uint64_t, int> marks;
  for (const ElfWanted& one : wanted) marks.emplace(one.index, kNowhere);
  const ElfDynamicTags& tags = tables.tags;
  const Relocations calls =
      FindRelocations(elf, tags.jmprel, tags.pltrelsz, tags.pltrel == uint64_t{DT_RELA});
  MarkRelocations(tables, calls, {}, kByCalls, marks);
  MarkRelocations(tables, FindRelocations(elf, tags.rela, tags.relasz, true), calls, kAtLoad, marks);
  MarkRelocations(tables, FindRelocations(elf, tags.rel, tags.relsz, false), calls, kAtLoad, marks);
  ElfStrings strings(tables.reader, elf.loads, tags.strtab);
  for (const auto& [index, mark] : marks) {
    const auto symbol = mark == kNowhere ? std::nullopt : tables.Symbol(index);
    auto name = symbol ? strings.At(symbol->name) : std::nullopt;
    if (name) unbound.push_back({.name = *std::move(name), .at_load = mark == kAtLoad});
  }
  return unbound;
}

std::vector<std::string> FindNearestNames(const base::ByteSource& source, const ElfFile& elf,
                                          std::span<const std::string> names) {
  std::vector<std::string> nearest(names.size());
  ElfSymbolTables tables(source);
  if (!HasUsualRecords(elf) || !tables.Find(elf)) return nearest;
  const auto count = CountSymbols(tables.reader, elf, tables.tags);
  const auto text = tables.tags.strtab ? MapAddress(elf.loads, *tables.tags.strtab) : std::nullopt;
  if (!count || !text || !tables.tags.strsz || *tables.tags.strsz > kMaxNames) return nearest;
  auto strings = ReadNumbers<char>(source, text->offset, *tables.tags.strsz);
  const auto symbols =
      ReadNumbers<RawElfSymbol>(source, tables.symbols + count->first_defined * sizeof(RawElfSymbol),
                                count->end - count->first_defined);
  if (!strings || !symbols) return nearest;
  strings->push_back('\0');
  std::vector<size_t> agree(names.size());
  for (size_t i = 0; i < names.size(); ++i) agree[i] = EndOfFirstWord(names[i]) - 1;
  for (const RawElfSymbol& symbol : *symbols) {
    if (symbol.section == SHN_UNDEF || symbol.name >= strings->size()) continue;
    const char* const other = strings->data() + symbol.name;
    for (size_t i = 0; i < names.size(); ++i) {
      if (agree[i] >= names[i].size()) continue;
      if (std::strncmp(other, names[i].c_str(), agree[i] + 1) != 0) continue;
      size_t length = agree[i] + 1;
      while (other[length] != '\0' && other[length] == names[i][length]) ++length;
      agree[i] = length;
      nearest[i] = other;
    }
  }
  return nearest;
}

}  // namespace culprit::binfmt
