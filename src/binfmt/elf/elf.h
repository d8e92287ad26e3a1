// ELF: bytes -> facts. Reads headers, the dynamic section, symbol versions and notes, but not code or data.
// Any bytes give an answer: `problem` says what could not be read, and everything before it is filled in.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes/byte_source.h"

namespace culprit::binfmt {

enum class ElfProblem {
  kNone,
  kTooShort,    // fewer bytes than an ELF header of its class (64 if the class is unknown)
  kNotElf,      // another magic number
  kBadHeader,   // magic is right, but class, byte order or header version is invalid
  kHeadersCut,  // the program headers are not inside the file
  kNoDynamic,   // no PT_DYNAMIC, or one without contents in the file: static or debug-only
  kDynamicCut,  // the dynamic section, or a table or string that it refers to, is not inside the file, or is
                // larger than any real one
  kReadFailed,  // the file system failed
};
// Stable, for JSON.
constexpr std::array<std::string_view, 8> WordsOf(ElfProblem) {
  return {"none",        "too-short",  "not-elf",     "bad-header",
          "headers-cut", "no-dynamic", "dynamic-cut", "read-failed"};
}

// DT_NEEDED, DT_AUXILIARY and DT_FILTER, in file order.
struct ElfRequest {
  enum class Kind { kNeeded, kAuxiliary, kFilter };
  Kind kind = Kind::kNeeded;
  std::string name;
  bool operator==(const ElfRequest&) const = default;
};

struct ElfVersionNeed {
  std::string file;  // vn_file: the soname that must define them
  struct Item {
    std::string name;
    bool weak = false;
    bool operator==(const Item&) const = default;
  };
  std::vector<Item> versions;
  bool operator==(const ElfVersionNeed&) const = default;
};

struct ElfSegment {  // PT_LOAD
  uint64_t offset = 0, vaddr = 0, filesz = 0, memsz = 0, align = 0;
  uint32_t flags = 0;
  bool operator==(const ElfSegment&) const = default;
};

struct ElfDynamicTags;

struct ElfFile {
  ElfProblem problem = ElfProblem::kNone;

  // The header; raw where a loader looks at it raw.
  std::array<uint8_t, 16> ident{};
  uint16_t type = 0;  // ET_*
  uint16_t machine = 0;
  uint32_t version = 0;
  // If it does not match the class, no program header is read and `problem` stays kNone: only a loader model
  // knows what follows.
  uint16_t phentsize = 0;
  uint16_t phnum = 0;
  int bits() const { return ident[4] == 1 ? 32 : ident[4] == 2 ? 64 : 0; }
  bool big_endian() const { return ident[5] == 2; }

  // Program headers.
  std::vector<ElfSegment> loads;
  bool has_dynamic = false;                // PT_DYNAMIC with contents
  bool dynamic_empty = false;              // PT_DYNAMIC with p_filesz 0: a debug-info file
  std::optional<uint32_t> stack_flags;     // PT_GNU_STACK p_flags; nullopt if the header is absent
  std::optional<std::string> interpreter;  // PT_INTERP; also nullopt if its text is unterminated or missing
  uint64_t file_size = 0;
  uint64_t needed_size = 0;  // largest p_offset + p_filesz; the file is complete if file_size >= needed_size
  bool complete() const { return file_size >= needed_size; }

  // The dynamic section; the last DT_RPATH, DT_RUNPATH, DT_SONAME counts, as it does for ld.so.
  std::optional<std::string> soname;
  std::vector<ElfRequest> requests;
  std::optional<std::string> rpath;
  std::optional<std::string> runpath;
  uint64_t flags = 0;     // DT_FLAGS
  uint64_t flags_1 = 0;   // DT_FLAGS_1
  bool has_relr = false;  // DT_RELR
  std::vector<ElfVersionNeed> version_needs;
  std::vector<std::string> version_defs;    // without the base version
  std::optional<std::string> version_base;  // the base version: usually the soname; others can require it too
  bool has_version_defs = false;            // DT_VERDEF present

  std::optional<std::string> build_id;  // hex, NT_GNU_BUILD_ID

  // The tags of the dynamic section (dynamic.h), for who reads tables that they lead to; null if there is
  // none or this was not read from a file. Two files are the same wherever their tables are.
  struct Tags : std::shared_ptr<const ElfDynamicTags> {
    using shared_ptr::operator=;
    bool operator==(const Tags&) const { return true; }
  };
  Tags tags;

  bool operator==(const ElfFile&) const = default;
};

// Never fails: see `problem`.
ElfFile ReadElf(const base::ByteSource& source);

// The value of an exported 4-byte data object (a version word such as cudnn_graph_version); nullopt if the
// symbol is missing or unreadable. `elf` is the result of ReadElf for this source.
std::optional<uint32_t> ReadElfWord(const base::ByteSource& source, const ElfFile& elf,
                                    std::string_view symbol);

// "x86-64", "aarch64", "386" ... for EM_* numbers; "machine 243" and the like for the rest.
std::string MachineName(uint16_t machine);

}  // namespace culprit::binfmt
