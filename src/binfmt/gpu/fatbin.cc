// Decides what kind of file it is and where containers may be. nvcc puts them into .nv_fatbin, or into
// __nv_relfatbin as long as device code is not linked; CUDA's tools look there. NVIDIA's libraries pass more
// containers to the driver themselves, from .data, .rodata and their own sections, so all data is searched.
// CPU code, debug information and linker tables contain none.
#include "binfmt/gpu/fatbin.h"

#include <algorithm>
#include <array>
#include <utility>

#include "binfmt/elf/constants.h"
#include "binfmt/elf/sections.h"
#include "binfmt/gpu/cubin.h"
#include "binfmt/gpu/fatbin_scan.h"
#include "binfmt/gpu/fatbin_sections.h"

namespace culprit::binfmt {
namespace {

// A file that requires a CUDA library, or is one, may have GPU code anywhere.
bool NamesCuda(std::string_view soname) {
  return soname.starts_with("lib") && IsCudaLibrary(soname.substr(3));
}

bool ShowsCuda(const ElfFile& elf, const std::vector<ElfSection>& sections) {
  if (elf.soname && NamesCuda(*elf.soname)) return true;
  if (std::ranges::any_of(elf.requests, [](const auto& request) { return NamesCuda(request.name); })) {
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
    std::vector<DataSection> data;
    for (ElfSection& section : *sections) {
      if (MayHoldContainers(section)) data.push_back({std::move(section.name), section.offset, section.size});
    }
    return ScanSections(source, std::move(data), code.whole_file, limits, code);
  }
  // Without sections, nothing says where to look. Such files are rare, so they are searched from end to end.
  code.whole_file = scan != GpuScan::kFatbinSections;
  if (!sections || !code.whole_file) {
    code.complete = false;
    code.problem = sections ? "no section headers, so GPU code cannot be located"
                            : "the section headers are damaged, so GPU code cannot be located";
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
      // Cubins before CUDA 13 store the CUDA release in the ELF version field.
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
  const bool linked = std::ranges::any_of(
      code.containers, [](const auto& containers) { return IsLinkedSection(containers.section); });
  std::vector<GpuPart> parts;
  parts.reserve(code.containers.size());
  for (const GpuCode::Containers& containers : code.containers) {
    const std::string& section = containers.section;
    parts.push_back(section.empty() || IsLinkedSection(section) ? GpuPart::kListed
                    : !IsRelocatableSection(section)            ? GpuPart::kElsewhere
                    : linked                                    ? GpuPart::kRelocatable
                                                                : GpuPart::kListed);
  }
  return parts;
}

}  // namespace culprit::binfmt
