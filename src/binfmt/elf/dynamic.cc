// Which dynamic tags matter and what they mean, decided as ld.so does (elf/get-dynamic-info.h,
// elf/dl-load.c): if a tag occurs twice the last one counts, and addresses are looked up in the PT_LOAD
// segments.
#include "binfmt/elf/dynamic.h"

#include <algorithm>

namespace culprit::binfmt {
namespace {

constexpr int64_t kVersionsOfSymbols = 0x6ffffff0;  // DT_VERSYM

// The place of a tag of which only the last one counts; nullptr for any other.
std::optional<uint64_t>* PlaceOf(int64_t tag, ElfDynamicTags& tags) {
  switch (tag) {
    case DT_SONAME:
      return &tags.soname;
    case DT_RPATH:
      return &tags.rpath;
    case DT_RUNPATH:
      return &tags.runpath;
    case DT_STRTAB:
      return &tags.strtab;
    case DT_STRSZ:
      return &tags.strsz;
    case DT_SYMTAB:
      return &tags.symtab;
    case DT_HASH:
      return &tags.sysv_hash;
    case DT_GNU_HASH:
      return &tags.gnu_hash;
    case DT_RELA:
      return &tags.rela;
    case DT_RELASZ:
      return &tags.relasz;
    case DT_REL:
      return &tags.rel;
    case DT_RELSZ:
      return &tags.relsz;
    case DT_JMPREL:
      return &tags.jmprel;
    case DT_PLTRELSZ:
      return &tags.pltrelsz;
    case DT_PLTREL:
      return &tags.pltrel;
    case DT_VERNEED:
      return &tags.verneed;
    case DT_VERDEF:
      return &tags.verdef;
    case kVersionsOfSymbols:
      return &tags.versym;
    default:
      return nullptr;
  }
}

void AddTag(const ElfDynamicEntry& entry, ElfDynamicTags& tags) {
  switch (entry.tag) {
    case DT_NEEDED:
      tags.requests.emplace_back(ElfRequest::Kind::kNeeded, entry.value);
      break;
    case DT_AUXILIARY:
      tags.requests.emplace_back(ElfRequest::Kind::kAuxiliary, entry.value);
      break;
    case DT_FILTER:
      tags.requests.emplace_back(ElfRequest::Kind::kFilter, entry.value);
      break;
    case DT_FLAGS:
      tags.flags = entry.value;
      break;
    case DT_FLAGS_1:
      tags.flags_1 = entry.value;
      break;
    case DT_VERDEFNUM:
      tags.verdef_count = entry.value;
      break;
    case DT_RELR:
      tags.has_relr = true;
      break;
    default:
      if (auto* const place = PlaceOf(entry.tag, tags)) *place = entry.value;
  }
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
