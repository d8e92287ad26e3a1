// Writes small ELF files: you describe what the file claims and get its bytes. Production code uses this for
// hypothetical machines (change/whatif): a library that is not installed yet claims what the real one will,
// and readers cannot tell the difference. Nothing here writes to disk. Tests use it too.
//
//   const std::string bytes = BuildElf({.soname = "libb.so.1", .needed = {"liba.so.1"}});
//   const ElfFile elf = ReadElf(AsSource(bytes));
//
// ld.so loads those for the host's machine. There are two PT_LOADs; in the second, addresses differ from
// offsets. There are no sections and no code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes/byte_source.h"
#include "binfmt/elf/elf.h"

namespace culprit::binfmt {

struct ElfSpec {
  int bits = 64;
  bool big_endian = false;
  uint16_t type = 3;      // ET_DYN
  uint16_t machine = 62;  // EM_X86_64

  std::optional<std::string> soname;
  std::vector<std::string> needed;
  std::vector<ElfRequest> requests;  // written after `needed`: auxiliaries and filters
  std::optional<std::string> rpath;
  std::optional<std::string> runpath;
  std::optional<std::string> interpreter;
  std::vector<ElfVersionNeed> version_needs;
  std::vector<std::string> version_defs;    // a base version is written before them
  std::optional<uint32_t> stack_flags = 6;  // PF_R | PF_W; nullopt: no PT_GNU_STACK
  uint64_t flags = 0;
  uint64_t flags_1 = 0;
  bool relr = false;
  std::string build_id;  // hex; empty: no note

  // Functions required from other libraries: the symbol, and its version, which is in version_needs.
  std::vector<std::pair<std::string, std::string>> imports;
  // Symbols required from any library, without a version. A relocation refers to each: of data, or of calls,
  // which may be bound when they are made.
  std::vector<std::string> undefined;
  bool undefined_calls = false;

  // Exported 4-byte objects, like cuDNN's version.
  std::vector<std::pair<std::string, uint32_t>> words;
  enum class Hash { kGnu, kSysv, kBoth };
  Hash hash = Hash::kGnu;

  enum class Dynamic { kYes, kEmpty, kNo };  // kEmpty: p_filesz 0, as in a debug-info file
  Dynamic dynamic = Dynamic::kYes;
};

std::string BuildElf(const ElfSpec& spec);

inline base::MemorySource AsSource(std::string_view bytes) {
  return base::MemorySource(std::as_bytes(std::span(bytes)));
}

}  // namespace culprit::binfmt
