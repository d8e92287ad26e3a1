#include "binfmt/elf/undefined.h"

#include <algorithm>
#include <array>
#include <span>

namespace culprit::binfmt {
namespace {

template <typename Symbol>
bool IsStrongUndefined(const Symbol& symbol) {
  const int binding = symbol.info >> 4;
  return symbol.section == SHN_UNDEF && symbol.name != 0 && binding != STB_LOCAL && binding != STB_WEAK;
}

// Where the reading of names that starts with the first of them ends: after the last one that is not far from
// the one before it.
uint64_t EndOfNearby(std::span<const ElfUndefined> symbols, uint64_t most) {
  constexpr uint64_t kFar = 4096, kName = 256;  // most names are shorter
  uint64_t last = symbols.front().name;
  for (const ElfUndefined& symbol : symbols) {
    if (symbol.name - last > kFar || symbol.name + kName - symbols.front().name > most) break;
    last = symbol.name;
  }
  return last + kName;
}

// A part of the string table.
struct Window {
  uint64_t begin = 0;
  std::string_view bytes;

  std::optional<std::string_view> NameAt(uint64_t at) const {
    if (at < begin || at - begin >= bytes.size()) return std::nullopt;
    const std::string_view rest = bytes.substr(static_cast<size_t>(at - begin));
    const size_t end = rest.find('\0');
    return end == rest.npos ? std::nullopt : std::optional(rest.substr(0, end));
  }
};

}  // namespace

std::optional<std::vector<ElfUndefined>> ReadUndefined(const base::ByteSource& source, const ElfFile& elf,
                                                       ElfSymbolTables& tables, uint64_t end,
                                                       std::span<const uint8_t> counts) {
  const auto versions = ReadVersionNumbers(source, elf, tables.tags, end);
  if (tables.tags.versym && !versions) return std::nullopt;
  std::vector<ElfUndefined> undefined;
  const auto add = [&](uint64_t index, const auto& symbol) {
    const auto version = static_cast<uint16_t>(versions ? (*versions)[index] & kVersionBits : 0);
    if (version >= counts.size() || counts[version] == 0 || !IsStrongUndefined(symbol)) return;
    undefined.push_back({symbol.name, static_cast<uint32_t>(index), version});
  };
  if (HasUsualRecords(elf)) {
    std::array<RawElfSymbol, 1024> room;  // not cleared: most of it is never used
    for (uint64_t begin = 0; begin < end; begin += room.size()) {
      const auto some = std::span(room).first(std::min<uint64_t>(room.size(), end - begin));
      const auto bytes = std::as_writable_bytes(some);
      if (source.ReadAt(SaturatingAdd(tables.symbols, begin * sizeof(RawElfSymbol)), bytes) != bytes.size())
        return std::nullopt;
      for (size_t i = begin == 0 ? 1 : 0; i < some.size(); ++i) add(begin + i, some[i]);
    }
  } else {
    for (uint64_t i = 1; i < end; ++i) {
      const auto symbol = tables.Symbol(i);
      if (!symbol) return std::nullopt;
      add(i, *symbol);
    }
  }
  std::ranges::sort(undefined, {}, &ElfUndefined::name);
  return undefined;
}

bool VisitNames(const base::ByteSource& source, const ElfFile& elf, const ElfDynamicTags& tags,
                const std::vector<ElfUndefined>& symbols,
                const std::function<void(const ElfUndefined&, std::string_view)>& visit) {
  if (symbols.empty()) return true;
  const auto strings = tags.strtab ? MapAddress(elf.loads, *tags.strtab) : std::nullopt;
  if (!strings) return false;
  std::array<char, 1u << 15> buffer;  // not cleared: most of it is never used
  std::vector<char> longer;           // for a name that does not fit
  Window window;
  for (size_t i = 0; i < symbols.size(); ++i) {
    const uint64_t at = SaturatingAdd(strings->offset, symbols[i].name);
    if (at >= strings->end) return false;
    auto name = window.NameAt(at);
    if (!name) {
      const uint64_t size = EndOfNearby(std::span(symbols).subspan(i), buffer.size()) - symbols[i].name;
      const auto part = std::span(buffer).first(static_cast<size_t>(std::min(size, strings->end - at)));
      const auto read = source.ReadAt(at, std::as_writable_bytes(part));
      if (!read) return false;
      window = {at, std::string_view(buffer.data(), *read)};
      name = window.NameAt(at);
    }
    if (!name) {
      auto read = ReadNumbers<char>(source, at, std::min(kMaxStringLength, strings->end - at));
      if (!read) return false;
      longer = *std::move(read);
      window = {at, std::string_view(longer.data(), longer.size())};
      name = window.NameAt(at);
    }
    if (!name) return false;
    visit(symbols[i], *name);
  }
  return true;
}

}  // namespace culprit::binfmt
