#include "binfmt/gpu/fatbin_sections.h"

#include <algorithm>
#include <array>
#include <utility>

#include "binfmt/gpu/fatbin_scan.h"

namespace culprit::binfmt {
namespace {

constexpr std::array<std::string_view, 15> kCudaLibraries = {
    "cuda",     "cudart", "cudnn", "cublas", "cufft", "curand", "cusolver", "cusparse",
    "cutensor", "cupti",  "nv",    "npp",    "nccl",  "torch",  "c10_cuda"};

}  // namespace

bool IsLinkedSection(std::string_view name) { return name == ".nv_fatbin" || name == ".nv_fatb"; }
bool IsRelocatableSection(std::string_view name) { return name == "__nv_relfatbin" || name == "__nv_rel"; }

bool IsCudaLibrary(std::string_view name) {
  return std::ranges::any_of(kCudaLibraries, [&](std::string_view start) { return name.starts_with(start); });
}

// Reads each byte once, even if sections overlap: a later one starts where those before it end.
void ScanSections(const base::ByteSource& source, std::vector<DataSection> sections, bool all,
                  const GpuCodeLimits& limits, GpuCode& code) {
  std::erase_if(sections, [&](const DataSection& section) {
    return section.size == 0 || (!all && !IsFatbinSection(section.name));
  });
  std::ranges::sort(sections, {},
                    [](const DataSection& section) { return std::pair(section.offset, section.name); });
  FatbinScanner scanner(source, limits, code);
  uint64_t done = 0;
  for (const DataSection& section : sections) {
    const uint64_t end = SaturatingAdd(section.offset, section.size);
    const uint64_t start = std::max(section.offset, done);
    if (start >= end) continue;
    scanner.Scan({start, end}, section.name, IsFatbinSection(section.name));
    done = end;
  }
}

}  // namespace culprit::binfmt
