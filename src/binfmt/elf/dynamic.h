// The dynamic section in two steps: which tags there are (numbers, no strings), and what they say. The first
// alone serves the symbol lookup.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "binfmt/elf/elf.h"
#include "binfmt/elf/reader.h"

namespace culprit::binfmt {

// Addresses and string offsets as they stand in the section; of tags that occur twice the last one counts.
struct ElfDynamicTags {
  std::optional<uint64_t> strtab, symtab, gnu_hash, sysv_hash, verneed, verdef, versym, strsz;
  std::optional<uint64_t> soname, rpath, runpath;
  std::vector<std::pair<ElfRequest::Kind, uint64_t>> requests;
  uint64_t flags = 0, flags_1 = 0;
  bool has_relr = false;
  bool cut = false;  // the section goes on where the file has ended
};

// Where the dynamic section lies, which ElfFile does not keep.
std::optional<ElfProgramHeader> FindDynamic(ElfReader& reader);

ElfDynamicTags ReadDynamicTags(ElfReader& reader, std::span<const ElfSegment> loads,
                               const ElfProgramHeader& dynamic);

// The string table as ld.so sees it: it begins at DT_STRTAB and ends with its segment; DT_STRSZ is not asked.
// All texts together come out of one budget.
class ElfStrings {
 public:
  ElfStrings(ElfReader& reader, std::span<const ElfSegment> loads, std::optional<uint64_t> strtab);
  std::optional<std::string> At(uint64_t offset);

 private:
  ElfReader& reader_;
  std::optional<FileRange> range_;
  uint64_t budget_ = kMaxStringsTotal;
};

// Fill in what the tags name. False when a text or table does not lie inside the file; what does is filled
// in all the same.
bool FillDynamic(const ElfDynamicTags& tags, ElfStrings& strings, ElfFile& elf);
bool FillVersions(ElfReader& reader, const ElfDynamicTags& tags, ElfStrings& strings, ElfFile& elf);

}  // namespace culprit::binfmt
