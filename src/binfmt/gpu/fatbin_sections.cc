#include "binfmt/gpu/fatbin_sections.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "binfmt/gpu/fatbin_scan.h"

namespace culprit::binfmt {
namespace {

constexpr std::array<std::string_view, 15> kCudaLibraries = {
    "cuda",     "cudart", "cudnn", "cublas", "cufft", "curand", "cusolver", "cusparse",
    "cutensor", "cupti",  "nv",    "npp",    "nccl",  "torch",  "c10_cuda"};

// The list has three words a container: magic number and version, its address, and with version 2 the address
// of a list of the containers that nvlink linked it from.
uint64_t CountLinkedOnLoad(const base::ByteSource& source, const DataSection& section) {
  constexpr std::array<uint8_t, 8> kLinked = {0xB1, 0x43, 0x62, 0x46, 2, 0, 0, 0};
  constexpr uint64_t kMost = 1u << 20;  // in bytes: 43,000 containers
  std::vector<std::byte> bytes(std::min(section.size, kMost));
  const auto read = source.ReadAt(section.offset, bytes);
  if (!read) return 0;
  uint64_t count = 0;
  for (size_t at = 0; at + kLinked.size() <= *read; at += kLinked.size()) {
    if (std::memcmp(bytes.data() + at, kLinked.data(), kLinked.size()) == 0) ++count;
  }
  return count;
}

}  // namespace

bool IsLinkedSection(std::string_view name) { return name == ".nv_fatbin" || name == ".nv_fatb"; }
bool IsRelocatableSection(std::string_view name) { return name == "__nv_relfatbin" || name == "__nv_rel"; }
bool IsContainerList(std::string_view name) { return name == ".nvFatBinSegment" || name == ".nvFatBi"; }

bool IsCudaLibrary(std::string_view name) {
  return std::ranges::any_of(kCudaLibraries, [&](std::string_view start) { return name.starts_with(start); });
}

// Reads each byte once, even if sections overlap: a later one starts where those before it end.
void ScanSections(const base::ByteSource& source, std::vector<DataSection> sections, bool all,
                  const GpuCodeLimits& limits, GpuCode& code) {
  for (const DataSection& section : sections) {
    if (IsContainerList(section.name)) code.linked_on_load += CountLinkedOnLoad(source, section);
  }
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
