#include "inspect/inspect.h"

#include "base/text.h"
#include "binfmt/elf/constants.h"
#include "inspect/gpu_code.h"
#include "inspect/pe.h"
#include "knowledge/libraries.h"

namespace culprit::inspect {
namespace {

using binfmt::ElfFile;
using binfmt::ElfProblem;
using snapshot::FileFacts;
using snapshot::FileKind;

std::string WhyNotReadable(const FileFacts& facts) {
  if (facts.error == base::PathError::kNoEntry) return facts.dangling ? "dangling symlink" : "no such file";
  if (facts.error != base::PathError::kNone) return std::string(base::Strerror(facts.error));
  if (facts.kind == FileKind::kDirectory) return "is a directory";
  if (facts.elf == nullptr) return "not a regular file";
  if (facts.pe && IsPe(*facts.pe)) return "";
  if (facts.pe && facts.pe->problem == binfmt::PeProblem::kBadHeader) return "damaged PE header";
  switch (facts.elf->problem) {
    case ElfProblem::kTooShort:
      return facts.size == 0 ? "is empty" : "too short to be an ELF or PE file";
    case ElfProblem::kNotElf:
      return "neither an ELF nor a PE file";
    case ElfProblem::kBadHeader:
      return "damaged ELF header";
    case ElfProblem::kReadFailed:
      return "could not be read";
    case ElfProblem::kNone:
    case ElfProblem::kHeadersCut:
    case ElfProblem::kNoDynamic:
    case ElfProblem::kDynamicCut:
      break;
  }
  return "";
}

std::string TypeOf(const ElfFile& elf) {
  if (elf.machine == EM_CUDA) return "GPU code (cubin)";
  switch (elf.type) {
    case ET_REL:
      return "object file";
    case ET_EXEC:
      return elf.interpreter ? "program" : "static program";
    case ET_CORE:
      return "core dump";
    case ET_DYN:
      break;
    default:
      return "ELF type " + std::to_string(elf.type);
  }
  if ((elf.flags_1 & DF_1_PIE) != 0) {
    return elf.interpreter ? "position-independent program" : "static position-independent program";
  }
  if (elf.dynamic_empty) return "debug information only";
  return elf.interpreter && !elf.soname ? "position-independent program" : "shared library";
}

std::vector<std::string> Elements(const std::optional<std::string>& path) {
  if (!path || path->empty()) return {};
  return base::Split(*path, ':');
}

void DescribeElf(const ElfFile& elf, report::FileAnswer& answer) {
  answer.format = "elf";
  answer.bits = elf.bits();
  answer.machine = binfmt::MachineName(elf.machine);
  answer.type = TypeOf(elf);
  answer.endianness = elf.big_endian() ? "big" : "little";
  answer.soname = elf.soname;
  for (const auto& request : elf.requests) {
    if (request.kind == binfmt::ElfRequest::Kind::kNeeded) answer.needed.push_back(request.name);
  }
  answer.rpath = Elements(elf.rpath);
  answer.runpath = Elements(elf.runpath);
  answer.interpreter = elf.interpreter;
  for (const auto& need : elf.version_needs) {
    report::SymbolVersions versions{.file = need.file, .versions = {}};
    for (const auto& item : need.versions) versions.versions.push_back(item.name);
    answer.versions_needed.push_back(std::move(versions));
  }
  answer.versions_defined = elf.version_defs;
  answer.executable_stack = elf.stack_flags && (*elf.stack_flags & PF_X) != 0;
  answer.build_id = elf.build_id;
  answer.needed_size = elf.needed_size;
  answer.complete =
      elf.complete() && elf.problem != ElfProblem::kHeadersCut && elf.problem != ElfProblem::kDynamicCut;
}

}  // namespace

report::FileAnswer InspectFile(snapshot::FileView& view, const std::string& path, const std::string& shown) {
  report::FileAnswer answer{.path = shown, .format = "unknown"};
  const FileFacts& facts = view.Open(path);
  answer.size = facts.size;
  answer.error = WhyNotReadable(facts);
  const auto gpu_code = view.GpuCode(path);
  if (gpu_code && gpu_code->form == binfmt::GpuCode::Form::kFatbin) {
    answer.error.clear();
    answer.format = "fatbin";
    answer.complete = gpu_code->complete;
    answer.gpu_code = DescribeGpuCode(*gpu_code);
    return answer;
  }
  const bool cubin = gpu_code && gpu_code->form == binfmt::GpuCode::Form::kCubin;
  if (cubin) answer.error.clear();  // an old one stores the CUDA release in the ELF version field
  if (!answer.error.empty()) return answer;
  if (gpu_code && (!gpu_code->containers.empty() || !gpu_code->complete)) {
    answer.gpu_code = DescribeGpuCode(*gpu_code);
  }
  // "Found nothing in the readable part" does not mean "has none".
  if (gpu_code.state == snapshot::FactState::kUnreadable) {
    answer.gpu_code = report::GpuCodeAnswer{.complete = false, .problem = gpu_code.why};
  }
  if (facts.pe) {
    DescribePe(*facts.pe, answer);
  } else {
    DescribeElf(*facts.elf, answer);
  }
  const auto* library = knowledge::FindLibrary(answer.soname.value_or(std::string(base::BaseName(path))));
  if (library == nullptr) library = knowledge::FindLibrary(base::BaseName(path));
  if (library != nullptr) {
    answer.title = library->title;
    if (const auto version = view.Version(path))
      answer.version = {version->version, version->cuda, version.source};
  } else if (answer.pe && !answer.pe->file_version.empty() &&
             !answer.pe->file_version.starts_with(
                 "6.14.11.")) {  // what NVIDIA's DLLs have instead of their own version
    answer.version = {.version = answer.pe->file_version, .source = "version resource of " + path};
  }
  return answer;
}

}  // namespace culprit::inspect
