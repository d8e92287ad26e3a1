// Symbol versions: which ones a file requires from which library (DT_VERNEED), and which it defines
// (DT_VERDEF). Both are chains of records. As in ld.so, a chain ends where "next" is 0, whatever
// DT_VERNEEDNUM and the counts in the records say. Offsets are unsigned and added in 64 bits, so a chain only
// runs forward; its length is still limited, because records may overlap.
#include <algorithm>

#include "binfmt/elf/dynamic.h"

namespace culprit::binfmt {
namespace {

constexpr uint16_t kFew = 64;  // what a count is trusted with before its records are read

// Takes one from what is left; false if nothing is left.
bool Take(uint64_t& left) {
  if (left == 0) return false;
  --left;
  return true;
}

// The Vernaux chain at `offset`: hash, flags (half), other (half), name, next.
bool ReadNeededVersions(ElfReader& reader, uint64_t offset, ElfStrings& strings, uint64_t& left,
                        std::vector<ElfVersionNeed::Item>& items) {
  while (Take(left)) {
    const auto flags = reader.Half(SaturatingAdd(offset, 4));
    const auto name_next = reader.Words<2>(SaturatingAdd(offset, 8));
    if (!flags || !name_next) return false;
    auto name = strings.At((*name_next)[0]);
    if (!name) return false;
    items.push_back({*std::move(name), (*flags & VER_FLG_WEAK) != 0});
    if ((*name_next)[1] == 0) return true;
    offset = SaturatingAdd(offset, (*name_next)[1]);
  }
  return false;
}

// The Verneed chain: version (half), count (half), file, aux, next.
bool ReadNeeds(ElfReader& reader, uint64_t offset, ElfStrings& strings, uint64_t& left,
               std::vector<ElfVersionNeed>& needs) {
  while (Take(left)) {
    const auto count = reader.Half(SaturatingAdd(offset, 2));
    const auto record = reader.Words<3>(SaturatingAdd(offset, 4));
    if (!count || !record) return false;
    const auto [file, aux, next] = *record;
    auto name = strings.At(file);
    if (!name) return false;
    ElfVersionNeed& need = needs.emplace_back();
    need.file = *std::move(name);
    need.versions.reserve(std::min(*count, kFew));
    if (!ReadNeededVersions(reader, SaturatingAdd(offset, aux), strings, left, need.versions)) return false;
    if (next == 0) return true;
    offset = SaturatingAdd(offset, next);
  }
  return false;
}

// The Verdef chain: version, flags, index, count (halves), hash, aux, next. In the Verdaux chain (name,
// next), the first is the version's own name and the rest are its predecessors.
bool ReadDefinitions(ElfReader& reader, uint64_t offset, ElfStrings& strings, uint64_t& left, ElfFile& elf) {
  while (Take(left)) {
    const auto flags = reader.Half(SaturatingAdd(offset, 2));
    const auto aux_next = reader.Words<2>(SaturatingAdd(offset, 12));
    if (!flags || !aux_next) return false;
    const auto name_at = reader.Word(SaturatingAdd(offset, (*aux_next)[0]));
    auto name = name_at ? strings.At(*name_at) : std::nullopt;
    if (!name) return false;
    if ((*flags & VER_FLG_BASE) == 0) {
      elf.version_defs.push_back(*std::move(name));
    } else {
      elf.version_base = *std::move(name);
    }
    if ((*aux_next)[1] == 0) return true;
    offset = SaturatingAdd(offset, (*aux_next)[1]);
  }
  return false;
}

}  // namespace

bool FillVersions(ElfReader& reader, const ElfDynamicTags& tags, ElfStrings& strings, ElfFile& elf) {
  uint64_t left = kMaxVersionRecords;
  bool whole = true;
  if (tags.verneed) {
    const auto table = MapAddress(elf.loads, *tags.verneed);
    elf.version_needs.reserve(std::min(elf.requests.size(), size_t{kFew}));
    whole &= table && ReadNeeds(reader, table->offset, strings, left, elf.version_needs);
  }
  if (tags.verdef) {
    const auto table = MapAddress(elf.loads, *tags.verdef);
    elf.version_defs.reserve(std::min(tags.verdef_count, uint64_t{kFew}));
    whole &= table && ReadDefinitions(reader, table->offset, strings, left, elf);
  }
  return whole;
}

}  // namespace culprit::binfmt
