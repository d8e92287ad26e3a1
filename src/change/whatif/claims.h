// A program or library by what it claims, and its bytes for its machine. Unknown properties of a file that
// does not exist yet are not claimed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "binfmt/pe/pe.h"
#include "knowledge/libraries.h"
#include "system/system.h"

namespace culprit::whatif {

struct Claims {
  std::string soname;
  std::vector<std::string> needed;  // sonames or DLLs
  std::string rpath, runpath;
  std::vector<std::string> version_defs;
  std::vector<std::pair<std::string, uint32_t>> words;  // exported, as cuDNN does with its version
  std::vector<std::string> gpu_code;  // containers, each a text: "sm_90 sm_90a compute_90:8.4"
  std::vector<std::string> opens;     // sonames that it opens itself, which stand among its constants
  std::string text;                   // stands in the file as it is
  bool program = false;
  // DLLs alone.
  std::vector<binfmt::PeImport> imports, delay_imports;  // besides `needed`
  std::vector<std::string> exports;
  bool all_exports = false;  // these and no others; otherwise what it exports besides is not known
  std::optional<binfmt::PeVersionInfo> resource;
};

// EM_* of the programs of a Linux machine: by its CPU, or by the loader that it has. 0 = it does not tell.
uint16_t MachineOf(const system::System& machine);

// Bytes of the file at `path`: ELF on Linux, PE on Windows.
std::string FileBytes(const system::System& machine, const std::string& path, const Claims& claims);

// What a file of the machine claims; nothing when it is none that can be read.
std::optional<Claims> ClaimsOf(const system::System& machine, const std::string& path);

// Adds what the tables know of a CUDA library of this file name and version: soname, words, resource.
void ClaimVersion(const std::string& file_name, const std::string& version, Claims& claims);

// The soname that a row has for this file name: libcudnn.so.9 for libcudnn.so.9.1.0; "" when none fits.
std::string SonameFor(const knowledge::Library& library, std::string_view file_name);

}  // namespace culprit::whatif
