// The result of `culprit inspect` for one file, as plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/why.h"

namespace culprit::report {

struct SymbolVersions {
  std::string file;
  std::vector<std::string> versions;
};

// Names of targets ("sm_90a", "compute_90") and how often each occurs, by architecture.
using TargetCounts = std::vector<std::pair<std::string, uint64_t>>;

struct GpuCodeCounts {
  TargetCounts sass, ptx, lto_ir, other;
  uint64_t containers = 0;
};

struct GpuCodeAnswer {
  GpuCodeCounts listed;                                         // as cuobjdump lists
  std::vector<std::string> ptx_isa;                             // PTX versions among them: "8.4"
  GpuCodeCounts elsewhere;                                      // in sections that CUDA's tools do not read
  std::vector<std::pair<std::string, GpuCodeCounts>> sections;  // everything, by section
  bool complete = true;
  std::string problem;  // why it is not
};

// Fields that only a PE file has.
struct PeAnswer {
  std::vector<std::string> delay_needed;  // delay-loaded DLLs
  std::vector<std::string> bound;         // DLLs with precomputed addresses
  std::vector<std::string>
      unused;            // those of `needed` from which nothing is imported: Windows does not load them
  uint32_t exports = 0;  // functions
  std::vector<std::pair<std::string, std::string>> version_strings;  // of the version resource
  std::string file_version, product_version;                         // its numbers; "" if there is none
  std::vector<std::string> manifest_needs;                           // side-by-side assemblies
  bool managed = false;
  uint64_t certificate_size = 0, overlay_size = 0;
};

struct FileAnswer {
  std::string path;
  std::string format;  // "elf", "pe", "fatbin" (only size and gpu_code then), "unknown"
  std::string error;   // unreadable or of unknown format: one line; the rest is empty then
  int bits = 0;
  std::string machine;
  std::string type;  // "shared library", "program", "position-independent program", "object file" ...
  std::string endianness;
  std::optional<std::string> soname;
  std::vector<std::string> needed;
  std::vector<std::string> rpath;
  std::vector<std::string> runpath;
  std::optional<std::string> interpreter;
  std::vector<SymbolVersions> versions_needed;
  std::vector<std::string> versions_defined;
  bool executable_stack = false;
  std::optional<std::string> build_id;
  uint64_t size = 0;
  uint64_t needed_size = 0;
  bool complete = true;
  std::string title;
  LibraryVersion version;
  std::optional<GpuCodeAnswer> gpu_code;  // nullopt: none
  std::optional<PeAnswer> pe;             // if format is "pe"
};

struct InspectAnswer {
  std::vector<FileAnswer> files;
};

}  // namespace culprit::report
