#include "binfmt/elf/functions.h"

#include <algorithm>
#include <optional>

#include "binfmt/elf/dynamic.h"
#include "binfmt/elf/reader.h"
#include "binfmt/elf/sections.h"
#include "binfmt/elf/symbol_count.h"

namespace culprit::binfmt {
namespace {

constexpr int kFunction = 2, kIndirectFunction = 10;  // STT_FUNC, STT_GNU_IFUNC
constexpr uint32_t kSymbolTable = 2;                  // SHT_SYMTAB
constexpr uint64_t kMaxName = 4096;

struct FunctionTable {
  uint64_t symbols = 0;  // offset of the first one
  uint64_t begin = 1, end = 1;
  FileRange strings;
};

std::optional<FunctionTable> DynamicTable(ElfReader& reader, const ElfFile& elf) {
  if (elf.tags == nullptr) return std::nullopt;
  const ElfDynamicTags& tags = *elf.tags;
  const auto symbols = tags.symtab ? MapAddress(elf.loads, *tags.symtab) : std::nullopt;
  const auto strings = tags.strtab ? MapAddress(elf.loads, *tags.strtab) : std::nullopt;
  const auto count = CountSymbols(reader, elf, tags);
  if (!symbols || !strings || !count) return std::nullopt;
  return FunctionTable{symbols->offset, count->first_defined, count->end, *strings};
}

std::optional<FunctionTable> FullTable(ElfReader& reader) {
  const auto header = reader.Header();
  const auto sections = header ? ReadElfSections(reader, *header) : std::nullopt;
  if (!sections) return std::nullopt;
  const auto symbols = std::ranges::find(*sections, kSymbolTable, &ElfSection::type);
  const auto strings = std::ranges::find(*sections, std::string(".strtab"), &ElfSection::name);
  if (symbols == sections->end() || strings == sections->end()) return std::nullopt;
  return FunctionTable{symbols->offset, 1, std::min(symbols->size / reader.symbol_size(), kMaxElfSymbols),
                       FileRange{strings->offset, SaturatingAdd(strings->offset, strings->size)}};
}

}  // namespace

std::vector<std::string> FunctionsAt(const base::ByteSource& source, const ElfFile& elf,
                                     const std::vector<uint64_t>& addresses) {
  std::vector<std::string> names(addresses.size());
  if (elf.bits() == 0 || addresses.empty()) return names;
  ElfReader reader(source);
  reader.SetFormat(elf.bits(), elf.big_endian());
  auto table = FullTable(reader);
  if (!table) table = DynamicTable(reader, elf);
  if (!table) return names;
  std::vector<std::optional<ElfSymbol>> best(addresses.size());
  for (uint64_t i = table->begin; i < table->end; ++i) {
    const auto symbol = reader.Symbol(SaturatingAdd(table->symbols, i * reader.symbol_size()));
    if (!symbol) break;
    const int type = symbol->info & 15;
    if (symbol->section == SHN_UNDEF || (type != kFunction && type != kIndirectFunction)) continue;
    for (size_t a = 0; a < addresses.size(); ++a) {
      const bool holds = addresses[a] >= symbol->value && addresses[a] - symbol->value < symbol->size;
      if (holds && (!best[a] || best[a]->value < symbol->value)) best[a] = symbol;
    }
  }
  for (size_t a = 0; a < addresses.size(); ++a) {
    if (!best[a]) continue;
    uint64_t budget = kMaxName;
    const uint64_t at = SaturatingAdd(table->strings.offset, best[a]->name);
    names[a] = reader.bytes().CString(at, table->strings.end, budget).value_or("");
  }
  return names;
}

}  // namespace culprit::binfmt
