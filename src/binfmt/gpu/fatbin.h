// GPU code inside a file: bytes -> which architectures, as machine code (SASS), PTX or LTO-IR, in how many
// containers. Only headers are read, never code. docs/fatbin-format.md describes the bytes.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "binfmt/elf/elf.h"
#include "binfmt/pe/pe.h"

namespace culprit::binfmt {

struct GpuTarget {
  enum class Kind { kSass, kPtx, kLtoIr, kOther };
  Kind kind = Kind::kSass;
  uint32_t arch = 0;                      // 90, 100, 120
  char suffix = 0;                        // 0; 'a': this architecture alone; 'f': its family
  uint16_t ptx_major = 0, ptx_minor = 0;  // PTX ISA of kPtx, version of kLtoIr; 0.0 for the rest
  auto operator<=>(const GpuTarget&) const = default;

  std::string Name() const;  // "sm_90a", "compute_90", "lto_90", "other_90"
};

enum class GpuScan {
  kFatbinSections,  // the sections that CUDA's own tools look into; a few reads a container
  kCudaFiles,       // as kWholeFile for a file that shows a sign of CUDA, else as kFatbinSections
  kWholeFile,       // all data of the file: libraries hide containers in .data and .rodata too
};

struct GpuCode {
  enum class Form {
    kNotGpu,  // neither ELF nor PE nor a container of GPU code
    kElf,     // a program, library or object; it may have no GPU code
    kPe,      // a program or DLL of Windows; it may have no GPU code
    kFatbin,  // a container by itself, as `nvcc -fatbin` writes it
    kCubin,   // machine code for one architecture: an ELF file of the GPU
  };
  Form form = Form::kNotGpu;

  // Containers with the same contents in one section, counted together, in the order of first sight. A
  // container is what the driver chooses from: one of its targets runs, or none.
  struct Containers {
    std::string section;             // "" in a file without sections
    std::vector<GpuTarget> targets;  // sorted, with repeats
    uint64_t count = 0;
    bool operator==(const Containers&) const = default;
  };
  std::vector<Containers> containers;

  bool whole_file = false;  // all data was searched, not only the sections of CUDA's tools
  bool complete = true;     // false: there may be more than was read; `problem` says why
  std::string problem;
  bool operator==(const GpuCode&) const = default;
};
// Stable, for JSON.
constexpr std::array<std::string_view, 5> WordsOf(GpuCode::Form) {
  return {"not-gpu", "elf", "pe", "fatbin", "cubin"};
}
constexpr std::array<std::string_view, 4> WordsOf(GpuTarget::Kind) {
  return {"sass", "ptx", "lto_ir", "other"};
}

// More than any real file has, so that a hostile one costs neither time nor memory. libcufft has 24,000
// containers, cuBLASLt 9,000 entries and 180 MB of other data.
struct GpuCodeLimits {
  uint64_t headers = 1u << 20;            // of containers and of entries, together
  uint64_t searched = uint64_t{2} << 30;  // bytes outside containers
  uint64_t kept_targets = 1u << 16;       // in GpuCode::containers, which has one for many that are alike
};

// Never fails: see `form`, `complete` and `problem`. `elf` is what ReadElf gave for this source.
GpuCode ReadGpuCode(const base::ByteSource& source, const ElfFile& elf, GpuScan scan,
                    const GpuCodeLimits& limits = {});
// The same of a file that is no ELF file. `pe` is what ReadPe gave; kNotGpu if it is no PE file either.
GpuCode ReadGpuCode(const base::ByteSource& source, const PeFile& pe, GpuScan scan,
                    const GpuCodeLimits& limits = {});

// Which containers are meant. CUDA's tools list the linked code, and the relocatable code only of a file
// that has no linked one; relocatable code beside linked code is what that was linked from, and never runs.
enum class GpuPart {
  kListed,       // as cuobjdump lists
  kRelocatable,  // __nv_relfatbin beside .nv_fatbin (PE: __nv_rel, .nv_fatb)
  kElsewhere,    // in other sections: what the library hands to the driver by itself
};
std::vector<GpuPart> PartsOf(const GpuCode& code);  // of each element of code.containers

// How often each target occurs, sorted, PTX versions put together (0.0).
using GpuTotals = std::vector<std::pair<GpuTarget, uint64_t>>;
GpuTotals Totals(const GpuCode& code, GpuPart part);
GpuTotals TotalsOfSection(const GpuCode& code, std::string_view section);

}  // namespace culprit::binfmt
