// Which dynamic tags matter and what they mean, decided as ld.so does (elf/get-dynamic-info.h,
// elf/dl-load.c): if a tag occurs twice the last one counts, and addresses are looked up in the PT_LOAD
// segments.
#include "binfmt/elf/dynamic.h"

#include <algorithm>

namespace culprit::binfmt {
namespace {

constexpr int64_t kVersionsOfSymbols = 0x6ffffff0;  // DT_VERSYM

constexpr std::pair<int64_t, ElfRequest::Kind> kRequests[] = {
    {DT_NEEDED, ElfRequest::Kind::kNeeded},
    {DT_AUXILIARY, ElfRequest::Kind::kAuxiliary},
    {DT_FILTER, ElfRequest::Kind::kFilter},
};

// The tags of which only the last one counts.
constexpr std::pair<int64_t, std::optional<uint64_t> ElfDynamicTags::*> kLastCounts[] = {
    {DT_SONAME, &ElfDynamicTags::soname},   {DT_RPATH, &ElfDynamicTags::rpath},
    {DT_RUNPATH, &ElfDynamicTags::runpath}, {DT_STRTAB, &ElfDynamicTags::strtab},
    {DT_STRSZ, &ElfDynamicTags::strsz},     {DT_SYMTAB, &ElfDynamicTags::symtab},
    {DT_HASH, &ElfDynamicTags::sysv_hash},  {DT_GNU_HASH, &ElfDynamicTags::gnu_hash},
    {DT_RELA, &ElfDynamicTags::rela},       {DT_RELASZ, &ElfDynamicTags::relasz},
    {DT_REL, &ElfDynamicTags::rel},         {DT_RELSZ, &ElfDynamicTags::relsz},
    {DT_JMPREL, &ElfDynamicTags::jmprel},   {DT_PLTRELSZ, &ElfDynamicTags::pltrelsz},
    {DT_PLTREL, &ElfDynamicTags::pltrel},   {DT_VERNEED, &ElfDynamicTags::verneed},
    {DT_VERDEF, &ElfDynamicTags::verdef},   {kVersionsOfSymbols, &ElfDynamicTags::versym},
};

void AddTag(const ElfDynamicEntry& entry, ElfDynamicTags& tags) {
  for (const auto& [tag, kind] : kRequests) {
    if (tag == entry.tag) tags.requests.emplace_back(kind, entry.value);
  }
  for (const auto& [tag, member] : kLastCounts) {
    if (tag != entry.tag) continue;
    tags.*member = entry.value;
    return;
  }
  if (entry.tag == DT_FLAGS) tags.flags = entry.value;
  if (entry.tag == DT_FLAGS_1) tags.flags_1 = entry.value;
  if (entry.tag == DT_RELR) tags.has_relr = true;
}

}  // namespace

ElfDynamicTags ReadDynamicTags(ElfReader& reader, std::span<const ElfSegment> loads,
                               const ElfProgramHeader& dynamic) {
  // ld.so uses the address; p_offset says the same in every file that a linker wrote.
  const auto mapped = MapAddress(loads, dynamic.vaddr);
  const uint64_t begin = mapped ? mapped->offset : dynamic.offset;
  const uint64_t entry_size = reader.dynamic_entry_size();
  const uint64_t count = dynamic.filesz / entry_size;

  ElfDynamicTags tags;
  for (uint64_t i = 0; i < count; ++i) {
    const auto entry =
        i < kMaxDynamicEntries ? reader.DynamicEntry(SaturatingAdd(begin, i * entry_size)) : std::nullopt;
    if (!entry) {
      tags.cut = true;
      break;
    }
    if (entry->tag == DT_NULL) break;
    AddTag(*entry, tags);
  }
  return tags;
}

ElfStrings::ElfStrings(ElfReader& reader, std::span<const ElfSegment> loads, std::optional<uint64_t> strtab)
    : reader_(reader) {
  if (strtab) range_ = MapAddress(loads, *strtab);
}

std::optional<std::string> ElfStrings::At(uint64_t offset) {
  if (!range_) return std::nullopt;
  uint64_t budget = std::min(kMaxStringLength, budget_);
  const uint64_t before = budget;
  auto text = reader_.bytes().CString(SaturatingAdd(range_->offset, offset), range_->end, budget);
  budget_ -= before - budget;
  return text;
}

bool FillDynamic(const ElfDynamicTags& tags, ElfStrings& strings, ElfFile& elf) {
  bool whole = !tags.cut;
  const auto fill = [&](std::optional<uint64_t> offset, std::optional<std::string>& text) {
    if (!offset) return;
    text = strings.At(*offset);
    whole &= text.has_value();
  };
  fill(tags.soname, elf.soname);
  fill(tags.rpath, elf.rpath);
  fill(tags.runpath, elf.runpath);
  elf.requests.reserve(tags.requests.size());
  for (const auto& [kind, offset] : tags.requests) {
    if (auto name = strings.At(offset)) {
      elf.requests.push_back({kind, *std::move(name)});
    } else {
      whole = false;
    }
  }
  elf.flags = tags.flags;
  elf.flags_1 = tags.flags_1;
  elf.has_relr = tags.has_relr;
  elf.has_version_defs = tags.verdef.has_value();
  return whole;
}

}  // namespace culprit::binfmt
