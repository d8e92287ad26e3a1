// Small PE files, for the same uses as write_elf.h: say what the file shall claim, get its bytes.
//
//   const std::string bytes = BuildPe({.name = "b.dll", .imports = {{"a.dll", {"Run"}}}, .exports = {"Go"}});
//   const PeFile pe = ReadPe(AsSource(bytes));
//
// Windows and Wine load them: every exported function returns 1, there is no DllMain. Addresses differ from
// offsets. A 64-bit file is for x86-64 and a 32-bit one for 386 unless `machine` says otherwise (then the
// code is not of that machine and only the headers mean something).
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
  uint16_t machine = 0;  // 0: that of `bits`
  bool dll = true;
  uint16_t subsystem = 2;
  uint32_t time_stamp = 0x5F000000;
  uint64_t image_base = 0;  // 0: the linker's usual one
  bool managed = false;
  bool flat = false;  // sections aligned to 512 bytes, in the file and in memory: mapped as one piece

  std::string name;  // of the export table: the file's own idea of its name
  std::vector<PeImport> imports;
  std::vector<PeImport> delay_imports;
  bool delay_by_address = false;     // the old form, for 32 bits
  bool imports_in_one_list = false;  // no OriginalFirstThunk, as old linkers of Borland wrote it
  std::vector<std::string> bound_imports;

  // Functions by name get the ordinals from 1 on, in this order: exports, forwarders, words, then
  // `nameless` ones and `nameless_forwarders` with no name.
  std::vector<std::string> exports;
  std::vector<std::pair<std::string, std::string>> forwarders;  // name, "OTHER.Function"
  std::vector<std::pair<std::string, uint32_t>> words;          // objects of 4 bytes, as cuDNN's version
  bool more_exports = false;  // one more name that cannot be read: which functions there are is not known
  uint16_t nameless = 0;
  std::vector<std::string> nameless_forwarders;
  uint16_t ordinal_base = 1;

  std::optional<PeVersionInfo> version;
  std::optional<std::string> manifest;

  std::vector<std::pair<std::string, std::string>> sections;  // further ones: name, contents
  std::string overlay;
  uint32_t certificate_size = 0;  // behind the overlay
  size_t cut = 0;                 // bytes that are missing at the end
};

std::string BuildPe(const PeSpec& spec);

}  // namespace culprit::binfmt
