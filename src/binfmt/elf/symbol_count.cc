#include "binfmt/elf/symbol_count.h"

#include <algorithm>

namespace culprit::binfmt {
namespace {

std::optional<ElfSymbolCount> CountByGnuHash(ElfReader& reader, uint64_t offset) {
  const auto header = reader.Words<4>(offset);
  if (!header) return std::nullopt;
  const auto [bucket_count, first, bloom_count, bloom_shift] = *header;
  if (bucket_count > kMaxElfSymbols || first > kMaxElfSymbols) return std::nullopt;
  const uint64_t buckets = SaturatingAdd(offset, 16 + uint64_t{bloom_count} * (reader.is64() ? 8 : 4));
  uint64_t last = 0;
  for (uint64_t i = 0; i < bucket_count; ++i) {
    const auto bucket = reader.Word(SaturatingAdd(buckets, 4 * i));
    if (!bucket) return std::nullopt;
    last = std::max<uint64_t>(last, *bucket);
  }
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
  if (!tags.gnu_hash) {
    const auto count = CountSymbols(reader, elf, tags);
    return count ? std::optional(count->end) : std::nullopt;
  }
  const auto table = MapAddress(elf.loads, *tags.gnu_hash);
  const auto first = table ? reader.Word(SaturatingAdd(table->offset, 4)) : std::nullopt;
  return first && *first <= kMaxElfSymbols ? std::optional<uint64_t>(*first) : std::nullopt;
}

}  // namespace culprit::binfmt
