#include "loader/windows/candidate.h"

#include "loader/windows/windows.h"

namespace culprit::loader {
namespace {

using base::PathError;
using binfmt::PeProblem;
using Next = WindowsCandidate::Next;

WindowsCandidate Unopened(const snapshot::FileFacts& facts) {
  switch (facts.error) {
    case PathError::kNotDirectory:
      return {.outcome = Outcome::kNotADirectory};
    case PathError::kNameTooLong:
      return {.outcome = Outcome::kNameTooLong};
    case PathError::kNotRecorded:
      return {.outcome = Outcome::kNotRecorded};
    case PathError::kAccess:
      return {.next = Next::kStop, .outcome = Outcome::kNotReadable, .code = kErrorAccessDenied};
    case PathError::kLoop:
      return {.next = Next::kStop, .outcome = Outcome::kLinkLoop, .code = kErrorCannotResolve};
    case PathError::kOther:
      return {.next = Next::kStop, .outcome = Outcome::kIoError, .code = kErrorIoDevice};
    case PathError::kNone:
    case PathError::kNoEntry:
      break;
  }
  return {.outcome = facts.dangling ? Outcome::kDanglingLink : Outcome::kMissing};
}

WindowsCandidate BadImage(Outcome outcome, std::string detail) {
  return {.next = Next::kStop,
          .outcome = outcome,
          .code = kErrorBadExeFormat,
          .detail = std::move(detail),
          .facts = nullptr};
}

WindowsCandidate Check(const snapshot::FileFacts& facts, const ProcessMachine& process) {
  if (facts.error != PathError::kNone) return Unopened(facts);
  if (facts.kind == snapshot::FileKind::kDirectory) {
    return {.next = Next::kStop, .outcome = Outcome::kIsDirectory, .code = kErrorAccessDenied};
  }
  if (facts.pe == nullptr) {
    if (facts.elf != nullptr) return BadImage(Outcome::kNotPe, "a Linux library");
    if (facts.kind != snapshot::FileKind::kRegular) return BadImage(Outcome::kUnusable, "not a regular file");
    return {.outcome = Outcome::kNotRecorded};
  }
  const binfmt::PeFile& pe = *facts.pe;
  switch (pe.problem) {
    case PeProblem::kNone:
      break;
    case PeProblem::kEmpty:
      return BadImage(Outcome::kEmptyFile, "");
    case PeProblem::kTooShort:
      return BadImage(Outcome::kTooShort, "shorter than a header");
    case PeProblem::kNotPe:
      return BadImage(Outcome::kNotPe, "");
    case PeProblem::kBadHeader:
      return BadImage(Outcome::kNotPe, "invalid header");
    case PeProblem::kHeadersCut:
      return BadImage(Outcome::kTruncated, "the file ends within its headers");
    case PeProblem::kSectionsCut:
      return BadImage(Outcome::kTruncated, std::to_string(pe.file_size) + " bytes instead of " +
                                               std::to_string(pe.needed_size) + " or more");
    case PeProblem::kImportsCut:
      return BadImage(Outcome::kUnusable, "its import table is outside the file");
    case PeProblem::kReadFailed:
      return {.next = Next::kStop, .outcome = Outcome::kIoError, .code = kErrorIoDevice};
  }
  if (pe.machine != process.machine || pe.bits != process.bits) {
    const bool x86 = pe.machine == binfmt::kPeMachineX64 || pe.machine == binfmt::kPeMachine386;
    return {.next = x86 || process.on_arm64 ? Next::kGoOn : Next::kStop,
            .outcome = Outcome::kWrongMachine,
            .code = kErrorBadExeFormat,
            .detail = "for " + binfmt::PeMachineName(pe.machine) + ", the program is for " +
                      binfmt::PeMachineName(process.machine)};
  }
  return {.next = Next::kTake, .outcome = Outcome::kFound};
}

}  // namespace

WindowsCandidate TryCandidate(snapshot::FileView& view, const std::string& path,
                              const ProcessMachine& process) {
  const snapshot::FileFacts& facts = view.Open(path);
  WindowsCandidate candidate = Check(facts, process);
  candidate.facts = &facts;
  return candidate;
}

}  // namespace culprit::loader
