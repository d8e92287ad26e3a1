#include "inspect/pe.h"

namespace culprit::inspect {
namespace {

using binfmt::PeFile;
using binfmt::PeProblem;

std::string TypeOf(const PeFile& pe) {
  constexpr uint16_t kDriver = 1, kWindow = 2, kConsole = 3;
  if (pe.subsystem == kDriver) return "driver or native program";
  if (pe.dll) return pe.managed ? "DLL (.NET)" : "DLL";
  if (pe.managed) return "program (.NET)";
  return pe.subsystem == kConsole  ? "console program"
         : pe.subsystem == kWindow ? "window program"
                                   : "program";
}

}  // namespace

bool IsPe(const PeFile& pe) {
  switch (pe.problem) {
    case PeProblem::kNone:
    case PeProblem::kSectionsCut:
    case PeProblem::kImportsCut:
      return true;
    case PeProblem::kHeadersCut:  // also for a text that starts with "MZ"
      return pe.machine != 0;
    case PeProblem::kEmpty:
    case PeProblem::kTooShort:
    case PeProblem::kNotPe:
    case PeProblem::kBadHeader:
    case PeProblem::kReadFailed:
      break;
  }
  return false;
}

void DescribePe(const PeFile& pe, report::FileAnswer& answer) {
  answer.format = "pe";
  answer.bits = pe.bits;
  answer.machine = binfmt::PeMachineName(pe.machine);
  answer.type = TypeOf(pe);
  answer.endianness = "little";
  if (pe.export_name && !pe.export_name->empty()) answer.soname = pe.export_name;
  answer.needed_size = pe.needed_size;
  answer.complete = pe.problem == PeProblem::kNone;
  report::PeAnswer about;
  for (const auto& import : pe.imports) {
    answer.needed.push_back(import.dll);
    if (import.names.empty() && import.ordinals.empty()) about.unused.push_back(import.dll);
  }
  for (const auto& import : pe.delay_imports) about.delay_needed.push_back(import.dll);
  about.bound = pe.bound_imports;
  about.exports = pe.export_count;
  if (pe.version) {
    about.version_strings = pe.version->strings;
    about.file_version = pe.version->file_version;
    about.product_version = pe.version->product_version;
  }
  about.manifest_needs = pe.manifest_dependencies;
  about.managed = pe.managed;
  about.certificate_size = pe.certificate_size;
  about.overlay_size = pe.overlay_size;
  answer.pe = std::move(about);
}

}  // namespace culprit::inspect
