// Writes small PE files, for the same purposes as elf/write.h: you describe what the file claims and get its
// bytes.
//
//   const std::string bytes = BuildPe({.name = "b.dll", .imports = {{"a.dll", {"Run"}}}, .exports = {"Go"}});
//   const PeFile pe = ReadPe(AsSource(bytes));
//
// Windows and Wine load them: every exported function returns 1, and there is no DllMain. Addresses differ
// from offsets. A 64-bit file is for x86-64 and a 32-bit one for 386 unless `machine` says otherwise (then
// the code does not match the machine, and only the headers are meaningful).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "binfmt/pe/pe.h"

namespace culprit::binfmt {

struct PeSpec {
  int bits = 64;
  uint16_t machine = 0;  // 0: derived from `bits`
  bool dll = true;
  uint16_t subsystem = 2;
  uint32_t time_stamp = 0x5F000000;
  uint64_t image_base = 0;  // 0: the linker's default
  bool managed = false;
  bool flat = false;  // sections aligned to 512 bytes, in the file and in memory: mapped as one piece

  std::string name;  // in the export table: the file's own name for itself
  std::vector<PeImport> imports;
  std::vector<PeImport> delay_imports;
  bool delay_by_address = false;     // the old form, for 32 bits
  bool imports_in_one_list = false;  // no OriginalFirstThunk, as old Borland linkers wrote it
  std::vector<std::string> bound_imports;

  // Functions by name get ordinals starting at 1, in this order: exports, forwarders, words, then the
  // `nameless` ones and `nameless_forwarders` without a name.
  std::vector<std::string> exports;
  std::vector<std::pair<std::string, std::string>> forwarders;  // name, "OTHER.Function"
  std::vector<std::pair<std::string, uint32_t>> words;          // 4-byte objects, like cuDNN's version
  bool more_exports = false;  // one more name that cannot be read, so the list of functions is incomplete
  uint16_t nameless = 0;
  std::vector<std::string> nameless_forwarders;
  uint16_t ordinal_base = 1;

  std::optional<PeVersionInfo> version;
  std::optional<std::string> manifest;

  std::vector<std::pair<std::string, std::string>> sections;  // additional ones: name, contents
  std::string overlay;
  uint32_t certificate_size = 0;  // after the overlay
  size_t cut = 0;                 // bytes missing at the end
};

std::string BuildPe(const PeSpec& spec);

}  // namespace culprit::binfmt
