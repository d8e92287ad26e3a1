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

#include "base/bytes/byte_source.h"
#include "binfmt/elf/elf.h"
#include "binfmt/pe/pe.h"

namespace culprit::binfmt {

struct GpuTarget {
  enum class Kind { kSass, kPtx, kLtoIr, kOther };
  Kind kind = Kind::kSass;
  uint32_t arch = 0;                      // 90, 100, 120
  char suffix = 0;                        // 0; 'a': only this architecture; 'f': its family
  uint16_t ptx_major = 0, ptx_minor = 0;  // PTX ISA of kPtx, version of kLtoIr; 0.0 for the rest
  auto operator<=>(const GpuTarget&) const = default;

  std::string Name() const;  // "sm_90a", "compute_90", "lto_90", "other_90"
};

enum class GpuScan {
  kFatbinSections,  // the sections that CUDA's own tools read; a few reads per container
  kCudaFiles,       // like kWholeFile if the file shows a sign of CUDA, else like kFatbinSections
  kWholeFile,       // all data of the file: libraries hide containers in .data and .rodata too
};

struct GpuCode {
  enum class Form {
    kNotGpu,  // not ELF, not PE, and not a GPU code container
    kElf,     // a program, library or object; it may have no GPU code
    kPe,      // a Windows program or DLL; it may have no GPU code
    kFatbin,  // a standalone container, as `nvcc -fatbin` writes it
    kCubin,   // machine code for one architecture: an ELF file of the GPU
  };
  Form form = Form::kNotGpu;

  // Containers with the same contents in one section, counted together, in order of first occurrence. The
  // driver chooses within a container: one of its targets runs, or none.
  struct Containers {
    std::string section;             // "" in a file without sections
    std::vector<GpuTarget> targets;  // sorted, with repeats
    uint64_t count = 0;
    bool operator==(const Containers&) const = default;
  };
  std::vector<Containers> containers;
  // How many of the linked containers nvlink made (-rdc=true). The driver links such a one anew from the
  // relocatable containers if it has no code for the GPU.
  uint64_t linked_on_load = 0;

  bool whole_file = false;  // all data was searched, not only the sections that CUDA's tools read
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

// More than any real file has, so that a hostile file costs neither time nor memory. libcufft has 24,000
// containers, cuBLASLt has 9,000 entries and 180 MB of other data.
struct GpuCodeLimits {
  uint64_t headers = 1u << 20;            // containers and entries together
  uint64_t searched = uint64_t{2} << 30;  // bytes outside containers
  uint64_t kept_targets = 1u << 16;       // in GpuCode::containers, where equal containers share one element
};

// Never fails: see `form`, `complete` and `problem`. `elf` is the result of ReadElf for this source.
GpuCode ReadGpuCode(const base::ByteSource& source, const ElfFile& elf, GpuScan scan,
                    const GpuCodeLimits& limits = {});
// The same for a file that is not ELF. `pe` is the result of ReadPe; kNotGpu if it is not a PE file either.
GpuCode ReadGpuCode(const base::ByteSource& source, const PeFile& pe, GpuScan scan,
                    const GpuCodeLimits& limits = {});

// Which containers to count. CUDA's tools list the linked code, and relocatable code only if there is no
// linked code. Relocatable code next to linked code is what that was linked from: see linked_on_load.
enum class GpuPart {
  kListed,       // as cuobjdump lists
  kRelocatable,  // __nv_relfatbin next to .nv_fatbin (PE: __nv_rel, .nv_fatb)
  kElsewhere,    // in other sections: code that the library passes to the driver itself
};
std::vector<GpuPart> PartsOf(const GpuCode& code);  // for each element of code.containers

// How often each target occurs, sorted, with all PTX versions combined (0.0).
using GpuTotals = std::vector<std::pair<GpuTarget, uint64_t>>;
GpuTotals Totals(const GpuCode& code, GpuPart part);
GpuTotals TotalsOfSection(const GpuCode& code, std::string_view section);

}  // namespace culprit::binfmt
