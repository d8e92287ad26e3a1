#include "loader/glibc/candidate.h"

#include <algorithm>
#include <utility>

#include "binfmt/elf/constants.h"

namespace culprit::loader {
namespace {

using base::PathError;
using binfmt::ElfFile;
using binfmt::ElfProblem;

constexpr uint8_t kLibcAbiLimit = 4;  // LIBC_ABI_MAX of glibc 2.36; one less on some CPUs, which no file uses

Verdict Fatal(Outcome outcome, std::string text, std::string reason = "") {
  return {.outcome = outcome, .fatal = true, .text = std::move(text), .reason = std::move(reason)};
}

Verdict Skip(Outcome outcome, PathError error = PathError::kNoEntry) {
  return {.outcome = outcome, .error = error};
}

Verdict NotOpened(const snapshot::FileFacts& facts) {
  switch (facts.error) {
    case PathError::kNoEntry:
      return Skip(facts.dangling ? Outcome::kDanglingLink : Outcome::kMissing);
    case PathError::kNotDirectory:
      return Skip(Outcome::kNotADirectory, facts.error);
    case PathError::kAccess:
      return Skip(Outcome::kNotReadable, facts.error);
    case PathError::kLoop:
      return Skip(Outcome::kLinkLoop, facts.error);
    case PathError::kNameTooLong:
      return Skip(Outcome::kNameTooLong, facts.error);
    case PathError::kNotRecorded:
      return Skip(Outcome::kNotRecorded);
    case PathError::kNone:
    case PathError::kOther:
      break;
  }
  return Skip(Outcome::kIoError, PathError::kOther);
}

Verdict CheckIdent(const ElfFile& elf, const LoaderKind& kind) {
  const auto& ident = elf.ident;
  if (elf.bits() != kind.bits) return Skip(Outcome::kWrongClass);
  if ((ident[EI_DATA] == ELFDATA2MSB) != kind.big_endian ||
      (ident[EI_DATA] != ELFDATA2MSB && ident[EI_DATA] != ELFDATA2LSB)) {
    return Fatal(Outcome::kBadHeader, kind.big_endian ? "ELF file data encoding not big-endian"
                                                      : "ELF file data encoding not little-endian");
  }
  if (ident[EI_VERSION] != EV_CURRENT) {
    return Fatal(Outcome::kBadHeader, "ELF file version ident does not match current one");
  }
  const uint8_t os_abi = ident[EI_OSABI];
  if (os_abi != ELFOSABI_SYSV && os_abi != ELFOSABI_GNU) {
    return Fatal(Outcome::kBadHeader, "ELF file OS ABI invalid");
  }
  const uint8_t abi_version = ident[EI_ABIVERSION];
  if (abi_version != 0 && !(os_abi == ELFOSABI_GNU && abi_version < kLibcAbiLimit)) {
    return Fatal(Outcome::kBadHeader, "ELF file ABI version invalid");
  }
  if (std::any_of(ident.begin() + EI_PAD, ident.end(), [](uint8_t byte) { return byte != 0; })) {
    return Fatal(Outcome::kBadHeader, "nonzero padding in e_ident");
  }
  return {};
}

}  // namespace

Verdict VerifyCandidate(const snapshot::FileFacts& facts, const LoaderKind& kind) {
  if (facts.error != PathError::kNone) return NotOpened(facts);
  if (facts.kind == snapshot::FileKind::kDirectory) {
    return Fatal(Outcome::kIsDirectory, "cannot read file data", "Is a directory");
  }
  if (facts.kind != snapshot::FileKind::kRegular) {
    return Fatal(Outcome::kUnusable, "not a regular file");
  }
  if (facts.elf == nullptr) return Skip(Outcome::kNotRecorded);
  const ElfFile& elf = *facts.elf;
  const uint64_t header_size = ElfHeaderSize(kind.bits == 64);
  if (elf.problem == ElfProblem::kReadFailed) {
    return Fatal(Outcome::kIoError, "cannot read file data", "Input/output error");
  }
  if (facts.size < header_size) {
    return Fatal(facts.size == 0 ? Outcome::kEmptyFile : Outcome::kTooShort, "file too short");
  }
  if (elf.problem == ElfProblem::kNotElf) return Fatal(Outcome::kNotElf, "invalid ELF header");
  if (Verdict ident = CheckIdent(elf, kind); ident.outcome != Outcome::kFound) return ident;
  if (elf.version != EV_CURRENT) {
    return Fatal(Outcome::kBadHeader, "ELF file version does not match current one");
  }
  if (elf.machine != kind.machine) return Skip(Outcome::kWrongMachine);
  if (elf.type != ET_DYN && elf.type != ET_EXEC) {
    return Fatal(Outcome::kUnusable, "only ET_DYN and ET_EXEC can be loaded");
  }
  if (elf.phentsize != ElfProgramHeaderSize(kind.bits == 64)) {
    return Fatal(Outcome::kBadHeader, "ELF file's phentsize not the expected size");
  }
  if (elf.problem == ElfProblem::kHeadersCut) return Fatal(Outcome::kTruncated, "cannot read file data");
  return {};
}

Verdict VerifyMapping(const ElfFile& elf, const LoaderKind& kind, const MapMode& mode) {
  const uint64_t page_mask = kind.page_size - 1;
  for (const binfmt::ElfSegment& load : elf.loads) {
    if (((load.vaddr - load.offset) & page_mask) != 0) {
      return Fatal(Outcome::kUnusable, "ELF load command address/offset not page-aligned");
    }
  }
  if (elf.loads.empty()) return Fatal(Outcome::kUnusable, "object file has no loadable segments");
  if (elf.type != ET_DYN) return Fatal(Outcome::kUnusable, "cannot dynamically load executable");
  if (!elf.has_dynamic || elf.dynamic_empty) {
    return Fatal(Outcome::kUnusable, "object file has no dynamic section");
  }
  // Pages entirely beyond the end of the file cannot be touched. If the file is cut inside the last page, the
  // rest reads as zeros, which the loader does not notice.
  const uint64_t mapped_end = (elf.file_size + page_mask) & ~page_mask;
  if (mapped_end < elf.needed_size || elf.problem == ElfProblem::kDynamicCut) {
    return {.outcome = Outcome::kTruncated, .fatal = true, .crash = true, .text = "file is cut short"};
  }
  if ((elf.flags_1 & DF_1_PIE) != 0) {
    return Fatal(Outcome::kUnusable, "cannot dynamically load position-independent executable");
  }
  if ((elf.flags_1 & DF_1_NOOPEN) != 0 && mode.dlopen) {
    return Fatal(Outcome::kUnusable, "shared object cannot be dlopen()ed");
  }
  // Before 2.41, the stack was made executable on demand.
  const bool default_executable =
      kind.machine == EM_X86_64 || kind.machine == EM_386 || kind.machine == EM_ARM;
  const bool wants_executable = elf.stack_flags ? (*elf.stack_flags & PF_X) != 0 : default_executable;
  if (wants_executable && !mode.stack_is_executable && mode.dlopen && kind.minor_version >= 41) {
    Verdict verdict = Fatal(Outcome::kUnusable, "cannot enable executable stack as shared object requires",
                            "Invalid argument");
    verdict.executable_stack = true;
    return verdict;
  }
  return {};
}

}  // namespace culprit::loader
