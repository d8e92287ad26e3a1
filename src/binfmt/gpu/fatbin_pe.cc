// GPU code in Windows programs and DLLs. The containers are the same as elsewhere; only the section table
// differs, with truncated names: .nv_fatbin is .nv_fatb, __nv_relfatbin is __nv_rel. .nvFatBi next to them
// holds pointers to the containers.
#include <algorithm>

#include "base/windows/path.h"
#include "binfmt/gpu/fatbin.h"
#include "binfmt/gpu/fatbin_sections.h"

namespace culprit::binfmt {
namespace {

bool ShowsCuda(const PeFile& pe) {
  const auto belongs = [](std::string_view name) { return IsCudaLibrary(base::FoldCase(name)); };
  const auto wants = [&](const PeImport& import) { return belongs(import.dll); };
  return (pe.export_name && belongs(*pe.export_name)) || std::ranges::any_of(pe.imports, wants) ||
         std::ranges::any_of(pe.delay_imports, wants) ||
         std::ranges::any_of(pe.sections, [](const PeSection& section) {
           return section.name.starts_with(".nv") || section.name.starts_with("__nv");
         });
}

bool MayHoldContainers(const PeSection& section) {
  constexpr uint32_t kCode = 0x20, kExecute = 0x20000000;
  return section.offset != 0 && (section.flags & (kCode | kExecute)) == 0 && section.name != ".pdata" &&
         section.name != ".xdata" && section.name != ".reloc" && !section.name.starts_with("/");
}

}  // namespace

GpuCode ReadGpuCode(const base::ByteSource& source, const PeFile& pe, GpuScan scan,
                    const GpuCodeLimits& limits) {
  GpuCode code;
  switch (pe.problem) {
    case PeProblem::kEmpty:
    case PeProblem::kTooShort:
    case PeProblem::kNotPe:
      return code;
    case PeProblem::kReadFailed:
      code.complete = false;
      code.problem = "reading failed";
      return code;
    case PeProblem::kBadHeader:
    case PeProblem::kHeadersCut:
      code.form = GpuCode::Form::kPe;
      code.complete = false;
      code.problem = "the headers are damaged, so GPU code cannot be located";
      return code;
    case PeProblem::kNone:
    case PeProblem::kSectionsCut:
    case PeProblem::kImportsCut:
      break;
  }
  code.form = GpuCode::Form::kPe;
  code.whole_file = scan == GpuScan::kWholeFile || (scan == GpuScan::kCudaFiles && ShowsCuda(pe));
  std::vector<DataSection> sections;
  for (const PeSection& section : pe.sections) {
    if (!MayHoldContainers(section)) continue;
    // Padding up to the file alignment does not count.
    const uint32_t size =
        section.virtual_size != 0 ? std::min(section.raw_size, section.virtual_size) : section.raw_size;
    sections.push_back({section.name, section.offset, size});
  }
  ScanSections(source, std::move(sections), code.whole_file, limits, code);
  return code;
}

}  // namespace culprit::binfmt
