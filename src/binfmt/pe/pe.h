// PE: bytes -> facts. Reads headers, imports, the head of the export table, the version resource and the
// manifest, but not code or data. Any bytes give an answer: `problem` says what could not be read, and
// everything before it is filled in.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes/byte_source.h"

namespace culprit::binfmt {

enum class PeProblem {
  kNone,
  kEmpty,        // no bytes at all
  kTooShort,     // fewer bytes than a DOS header
  kNotPe,        // no "MZ", or no "PE\0\0" where it points
  kBadHeader,    // signature is right, but the optional header is invalid
  kHeadersCut,   // the headers or the section table are not inside the file
  kSectionsCut,  // a section's raw data is not inside the file: truncated
  kImportsCut,   // an import table, or a string that it refers to, is not inside the image
  kReadFailed,   // the file system failed
};
// Stable, for JSON.
constexpr std::array<std::string_view, 9> WordsOf(PeProblem) {
  return {"none",        "empty",        "too-short",   "not-pe",     "bad-header",
          "headers-cut", "sections-cut", "imports-cut", "read-failed"};
}

// IMAGE_FILE_MACHINE_*.
inline constexpr uint16_t kPeMachine386 = 0x14C;
inline constexpr uint16_t kPeMachineX64 = 0x8664;
inline constexpr uint16_t kPeMachineArm64 = 0xAA64;
inline constexpr uint16_t kPeMachineArm = 0x1C4;
// "x86-64", "386", "aarch64", "arm"; "machine 0x1234" for the rest.
std::string PeMachineName(uint16_t machine);

// What is imported from one DLL, in file order. Windows does not load a DLL from which nothing is imported.
struct PeImport {
  std::string dll;                 // as written: "KERNEL32.dll"
  std::vector<std::string> names;  // functions by name
  std::vector<uint16_t> ordinals;  // functions by ordinal
  bool bound = false;              // has a timestamp: bound to one build of the DLL
  bool operator==(const PeImport&) const = default;
};

struct PeSection {
  std::string name;
  uint32_t address = 0, virtual_size = 0, offset = 0, raw_size = 0, flags = 0;
  bool operator==(const PeSection&) const = default;
};

// VS_VERSION_INFO.
struct PeVersionInfo {
  std::string file_version;                                  // of the fixed part: "6.14.11.8060"
  std::string product_version;                               // of the fixed part
  std::vector<std::pair<std::string, std::string>> strings;  // UTF-8: {"ProductName", "NVIDIA CUDA 11.8"}
  std::string_view String(std::string_view key) const;       // "" if it is not there
  bool operator==(const PeVersionInfo&) const = default;
};

struct PeFile {
  PeProblem problem = PeProblem::kNone;

  uint16_t machine = 0;
  int bits = 0;                  // 32 (PE32) or 64 (PE32+); 0 = unknown
  bool dll = false;              // IMAGE_FILE_DLL
  uint16_t characteristics = 0;  // of the file header
  uint16_t dll_characteristics = 0;
  uint16_t subsystem = 0;  // 2 window, 3 console, 1 native (a driver)
  uint32_t time_stamp = 0;
  uint64_t image_base = 0;
  uint32_t image_size = 0;
  uint32_t entry_point = 0;  // 0 = no DllMain
  bool managed = false;      // has a CLR header
  std::vector<PeSection> sections;
  uint64_t file_size = 0;
  uint64_t needed_size = 0;   // largest offset + raw_size; the file is complete if file_size >= needed_size
  uint64_t overlay_size = 0;  // bytes after the last section that are not the certificate
  uint64_t certificate_size = 0;  // Authenticode
  bool complete() const { return file_size >= needed_size; }

  std::vector<PeImport> imports;
  std::vector<PeImport> delay_imports;
  std::vector<std::string> bound_imports;  // DLLs of the bound import table

  std::optional<std::string> export_name;  // the DLL's own name for itself; nullopt = it exports nothing
  uint32_t export_count = 0;               // functions

  std::optional<PeVersionInfo> version;
  std::optional<std::string> manifest;             // RT_MANIFEST, as UTF-8, at most 64 KiB
  std::vector<std::string> manifest_dependencies;  // names of its dependent assemblies

  bool operator==(const PeFile&) const = default;
};

// Never fails: see `problem`.
PeFile ReadPe(const base::ByteSource& source);

// Names, ordinals and forwarders of the export table. Separate, because that of a large DLL has 100,000
// names.
struct PeExports {
  struct Forwarder {
    std::string name;    // exported name; "#12" for one without a name
    std::string target;  // "OTHER.Function", "OTHER.#12"
    uint16_t ordinal = 0;
    bool operator==(const Forwarder&) const = default;
  };
  std::vector<std::string> names;     // sorted by byte value
  std::vector<uint16_t> ordinals;     // those that exist, sorted
  std::vector<Forwarder> forwarders;  // sorted by name
  bool cut = false;                   // the table is not inside the image: the lists are incomplete
  bool operator==(const PeExports&) const = default;

  // Sorts the lists as the lookups need them. Lists that were made by hand or read from elsewhere may be
  // unsorted.
  void Sort();
  bool Has(std::string_view name) const;
  bool Has(uint16_t ordinal) const;
  // Where the loader has to continue; nullptr = the export is in this file (or there is none).
  const Forwarder* FindForwarder(std::string_view name) const;
  const Forwarder* FindForwarder(uint16_t ordinal) const;
};
PeExports ReadPeExports(const base::ByteSource& source, const PeFile& pe);

// The value of an exported 4-byte data object (a version word such as cudnn_graph_version); nullopt if the
// name is missing, forwarded or unreadable. `pe` is the result of ReadPe for this source.
std::optional<uint32_t> ReadPeWord(const base::ByteSource& source, const PeFile& pe, std::string_view name);

}  // namespace culprit::binfmt
