// What kind of file it is and where in it containers may lie. nvcc puts them into .nv_fatbin, or into
// __nv_relfatbin as long as device code is not linked; that is where CUDA's tools look. Libraries of NVIDIA
// hand further ones to the driver by themselves, from .data, .rodata and sections of their own, so data of
// any name is searched. What runs on the CPU, debug information and tables of the linker hold none.
#include "binfmt/fatbin.h"

#include <algorithm>
#include <array>
#include <utility>

#include "binfmt/cubin.h"
#include "binfmt/elf_constants.h"
#include "binfmt/elf_sections.h"
#include "binfmt/fatbin_scan.h"

namespace culprit::binfmt {
namespace {

constexpr std::string_view kLinked = ".nv_fatbin";
constexpr std::string_view kRelocatable = "__nv_relfatbin";

bool IsFatbinSection(std::string_view name) { return name == kLinked || name == kRelocatable; }

// Starts of sonames of CUDA. A file that needs one of them, or is one, may carry GPU code anywhere.
constexpr std::array<std::string_view, 15> kCudaLibraries = {
    "libcuda",   "libcudart",   "libcudnn",    "libcublas",   "libcufft",
    "libcurand", "libcusolver", "libcusparse", "libcutensor", "libcupti",
    "libnv",     "libnpp",      "libnccl",     "libtorch",    "libc10_cuda"};

bool IsCudaLibrary(std::string_view name) {
  return std::ranges::any_of(kCudaLibraries, [&](std::string_view start) { return name.starts_with(start); });
}

bool ShowsCuda(const ElfFile& elf, const std::vector<ElfSection>& sections) {
  if (elf.soname && IsCudaLibrary(*elf.soname)) return true;
  if (std::ranges::any_of(elf.requests, [](const auto& request) { return IsCudaLibrary(request.name); })) {
    return true;
  }
  return std::ranges::any_of(sections, [](const ElfSection& section) {
    return section.name.starts_with(".nv") || section.name.starts_with("__nv") ||
           section.name.starts_with(".cask");
  });
}

bool MayHoldContainers(const ElfSection& section) {
  if (section.type != SHT_PROGBITS || (section.flags & (SHF_EXECINSTR | SHF_COMPRESSED)) != 0) return false;
  return !section.name.starts_with(".debug") && !section.name.starts_with(".eh_frame") &&
         section.name != ".gcc_except_table" && section.name != ".comment";
}

// Each byte once, whatever the sections claim: a later one starts where those before it end.
void ScanSections(const base::ByteSource& source, std::vector<ElfSection> sections, bool all,
                  const GpuCodeLimits& limits, GpuCode& code) {
  std::erase_if(sections, [&](const ElfSection& section) {
    return section.size == 0 || !MayHoldContainers(section) || (!all && !IsFatbinSection(section.name));
  });
  std::ranges::sort(sections, {},
                    [](const ElfSection& section) { return std::pair(section.offset, section.name); });
  FatbinScanner scanner(source, limits, code);
  uint64_t done = 0;
  for (const ElfSection& section : sections) {
    const uint64_t end = SaturatingAdd(section.offset, section.size);
    const uint64_t start = std::max(section.offset, done);
    if (start >= end) continue;
    scanner.Scan({start, end}, section.name, IsFatbinSection(section.name));
    done = end;
  }
}

void ReadElfCode(const base::ByteSource& source, const ElfFile& elf, GpuScan scan,
                 const GpuCodeLimits& limits, GpuCode& code) {
  ElfReader reader(source);
  reader.SetFormat(elf.bits(), elf.big_endian());
  const auto header = reader.Header();
  if (!header) return;
  auto sections = ReadElfSections(reader, *header);
  if (elf.machine == EM_CUDA) {
    code.form = GpuCode::Form::kCubin;
    code.whole_file = true;
    code.containers.push_back(
        {"", {CubinTarget(reader, elf, *header, sections.value_or(std::vector<ElfSection>()))}, 1});
    return;
  }
  if (sections && !sections->empty()) {
    code.whole_file =
        scan == GpuScan::kWholeFile || (scan == GpuScan::kCudaFiles && ShowsCuda(elf, *sections));
    return ScanSections(source, std::move(*sections), code.whole_file, limits, code);
  }
  // Without sections nothing says where to look. Such files are rare, so they are searched from end to end.
  code.whole_file = scan != GpuScan::kFatbinSections;
  if (!sections || !code.whole_file) {
    code.complete = false;
    code.problem = sections ? "no section headers: where GPU code would lie is not told"
                            : "the section headers are damaged: where GPU code would lie is not told";
  }
  if (code.whole_file) {
    FatbinScanner(source, limits, code).Scan({0, source.size()}, "", /*only_containers=*/false);
  }
}

bool StartsWithMagic(const base::ByteSource& source) {
  std::array<std::byte, 4> start{};
  const auto read = source.ReadAt(0, start);
  return read && *read == start.size() && FindFatbinMagic(start) == 0;
}

}  // namespace

GpuCode ReadGpuCode(const base::ByteSource& source, const ElfFile& elf, GpuScan scan,
                    const GpuCodeLimits& limits) {
  GpuCode code;
  switch (elf.problem) {
    case ElfProblem::kReadFailed:
      code.complete = false;
      code.problem = "reading failed";
      break;
    case ElfProblem::kTooShort:
    case ElfProblem::kNotElf:
    case ElfProblem::kBadHeader:
      // Cubins before CUDA 13 have the release of CUDA where the version of ELF should be.
      if (elf.problem == ElfProblem::kBadHeader && elf.bits() != 0 && elf.machine == EM_CUDA) {
        ReadElfCode(source, elf, scan, limits, code);
        break;
      }
      if (!StartsWithMagic(source)) break;
      code.form = GpuCode::Form::kFatbin;
      code.whole_file = true;
      FatbinScanner(source, limits, code).Scan({0, source.size()}, "", /*only_containers=*/true);
      break;
    case ElfProblem::kNone:
    case ElfProblem::kHeadersCut:
    case ElfProblem::kNoDynamic:
    case ElfProblem::kDynamicCut:
      code.form = GpuCode::Form::kElf;
      ReadElfCode(source, elf, scan, limits, code);
  }
  return code;
}

std::vector<GpuPart> PartsOf(const GpuCode& code) {
  const bool linked =
      std::ranges::find(code.containers, kLinked, &GpuCode::Containers::section) != code.containers.end();
  std::vector<GpuPart> parts;
  parts.reserve(code.containers.size());
  for (const GpuCode::Containers& containers : code.containers) {
    const std::string& section = containers.section;
    parts.push_back(section.empty() || section == kLinked ? GpuPart::kListed
                    : section != kRelocatable             ? GpuPart::kElsewhere
                    : linked                              ? GpuPart::kRelocatable
                                                          : GpuPart::kListed);
  }
  return parts;
}

}  // namespace culprit::binfmt
