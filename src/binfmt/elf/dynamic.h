// Reads the dynamic section in two steps: which tags there are (numbers, no strings), and what they say.
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

// Addresses and string offsets as stored in the section; if a tag occurs twice, the last one counts.
struct ElfDynamicTags {
  std::optional<uint64_t> strtab, symtab, gnu_hash, sysv_hash, verneed, verdef, versym, strsz;
  std::optional<uint64_t> soname, rpath, runpath;
  std::optional<uint64_t> rela, relasz, rel, relsz, jmprel, pltrelsz, pltrel;
  std::vector<std::pair<ElfRequest::Kind, uint64_t>> requests;
  uint64_t flags = 0, flags_1 = 0, verdef_count = 0;
  bool has_relr = false;
  bool cut = false;  // the file ends before the section does
};

ElfDynamicTags ReadDynamicTags(ElfReader& reader, std::span<const ElfSegment> loads,
                               const ElfProgramHeader& dynamic);

// The string table as ld.so sees it: it starts at DT_STRTAB and ends with its segment; DT_STRSZ is ignored.
// All strings share one budget.
class ElfStrings {
 public:
  ElfStrings(ElfReader& reader, std::span<const ElfSegment> loads, std::optional<uint64_t> strtab);
  std::optional<std::string> At(uint64_t offset);

 private:
  ElfReader& reader_;
  std::optional<FileRange> range_;
  uint64_t budget_ = kMaxStringsTotal;
};

// Fill in what the tags refer to. False if a string or table is outside the file; the rest is still filled
// in.
bool FillDynamic(const ElfDynamicTags& tags, ElfStrings& strings, ElfFile& elf);
bool FillVersions(ElfReader& reader, const ElfDynamicTags& tags, ElfStrings& strings, ElfFile& elf);

}  // namespace culprit::binfmt
