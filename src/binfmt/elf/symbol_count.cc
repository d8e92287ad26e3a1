#include "binfmt/elf/symbol_count.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace culprit::binfmt {
namespace {

// What eight bytes add to a hash: b0 * 33^7 + b1 * 33^6 + ... + b7, two, four and eight of them at a time.
uint32_t HashOfEight(const char* bytes) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = std::byteswap(word);
  const auto join = [](uint64_t parts, uint64_t mask, int width, uint64_t factor) {
    return (parts & mask) * factor + (parts >> width & mask);
  };
  const uint64_t twos = join(word, 0x00ff00ff00ff00ff, 8, 33);
  const uint64_t fours = join(twos, 0x0000ffff0000ffff, 16, 33 * 33);
  return static_cast<uint32_t>(join(fours, 0x00000000ffffffff, 32, 33 * 33 * 33 * 33));
}

std::optional<ElfSymbolCount> CountByGnuHash(ElfReader& reader, uint64_t offset) {
  const auto header = reader.Words<4>(offset);
  if (!header) return std::nullopt;
  const auto [bucket_count, first, bloom_count, bloom_shift] = *header;
  if (bucket_count > kMaxElfSymbols || first > kMaxElfSymbols) return std::nullopt;
  const uint64_t buckets = SaturatingAdd(offset, 16 + uint64_t{bloom_count} * (reader.is64() ? 8 : 4));
  const auto largest = reader.LargestWord(buckets, bucket_count);
  if (!largest) return std::nullopt;
  uint64_t last = *largest;
  if (last < first) return ElfSymbolCount{first, first};  // nothing is defined
  const uint64_t chains = SaturatingAdd(buckets, 4 * uint64_t{bucket_count});
  for (; last < kMaxElfSymbols; ++last) {
    const auto link = reader.Word(SaturatingAdd(chains, 4 * (last - first)));
    if (!link) return std::nullopt;
    if ((*link & 1) != 0) return ElfSymbolCount{first, last + 1};
  }
  return std::nullopt;
}

}  // namespace

uint32_t GnuHash(std::string_view name) {
  constexpr uint32_t kOfEight = 0x747c7101;  // 33 to the power of 8
  uint32_t hash = 5381;
  for (; name.size() >= 8; name.remove_prefix(8)) hash = hash * kOfEight + HashOfEight(name.data());
  for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash;
}

std::optional<ElfSymbolCount> CountSymbols(ElfReader& reader, const ElfFile& elf,
                                           const ElfDynamicTags& tags) {
  if (tags.gnu_hash) {
    const auto table = MapAddress(elf.loads, *tags.gnu_hash);
    return table ? CountByGnuHash(reader, table->offset) : std::nullopt;
  }
  const auto table = tags.sysv_hash ? MapAddress(elf.loads, *tags.sysv_hash) : std::nullopt;
  const auto header = table ? reader.Words<2>(table->offset) : std::nullopt;
  if (!header || (*header)[1] > kMaxElfSymbols) return std::nullopt;
  return ElfSymbolCount{1, std::max<uint64_t>((*header)[1], 1)};
}

std::optional<uint64_t> CountUndefined(ElfReader& reader, const ElfFile& elf, const ElfDynamicTags& tags) {
  const auto hash = tags.gnu_hash ? MapAddress(elf.loads, *tags.gnu_hash) : std::nullopt;
  if (hash && elf.type != ET_EXEC) {
    const auto header = reader.Words<2>(hash->offset);  // buckets, first symbol
    if (!header || (*header)[1] > kMaxElfSymbols) return std::nullopt;
    if ((*header)[0] > 1) return (*header)[1];
  }
  const auto count = CountSymbols(reader, elf, tags);
  if (!count || !tags.gnu_hash) return count ? std::optional(count->end) : std::nullopt;
  if (count->end > count->first_defined) return elf.type == ET_EXEC ? count->end : count->first_defined;
  // The table of a file that defines nothing is empty and does not say where the others end: where the next
  // table begins.
  const auto symbols = tags.symtab ? MapAddress(elf.loads, *tags.symtab) : std::nullopt;
  if (!symbols) return std::nullopt;
  uint64_t next = symbols->end;
  for (const auto& table : {tags.strtab, tags.versym, tags.gnu_hash, tags.sysv_hash, tags.verneed,
                            tags.verdef, tags.rela, tags.rel, tags.jmprel}) {
    const auto place = table ? MapAddress(elf.loads, *table) : std::nullopt;
    if (place && place->offset > symbols->offset) next = std::min(next, place->offset);
  }
  return std::min((next - symbols->offset) / reader.symbol_size(), kMaxElfSymbols);
}

}  // namespace culprit::binfmt
