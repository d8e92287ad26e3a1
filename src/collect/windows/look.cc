#include "collect/windows/look.h"

#include "base/text.h"
#include "base/windows/path.h"
#include "collect/environment.h"
#include "collect/live_file_view.h"
#include "collect/windows/facts.h"
#include "snapshot/recorded_file_view.h"

namespace culprit::collect {
namespace {

using base::ErrorCode;
using base::PathError;
using binfmt::PeProblem;

base::Result<void> CheckPe(const snapshot::FileFacts& facts, const std::string& target) {
  if (facts.elf != nullptr && facts.elf->bits() != 0) {
    return base::Fail(ErrorCode::kBadFormat, target + ": an ELF file, not a Windows program or DLL");
  }
  if (facts.pe == nullptr) {
    return base::Fail(ErrorCode::kNotReadable, target + ": its contents are not recorded in the snapshot");
  }
  switch (facts.pe->problem) {
    case PeProblem::kNone:
      return {};
    case PeProblem::kEmpty:
      return base::Fail(ErrorCode::kBadFormat, target + ": the file is empty");
    case PeProblem::kTooShort:
    case PeProblem::kNotPe:
    case PeProblem::kBadHeader:
      return base::Fail(ErrorCode::kBadFormat, target + ": not a PE file");
    case PeProblem::kHeadersCut:
    case PeProblem::kSectionsCut:
    case PeProblem::kImportsCut:
      return base::Fail(ErrorCode::kBadFormat, target + ": the file is truncated");
    case PeProblem::kReadFailed:
      break;
  }
  return base::Fail(ErrorCode::kNotReadable, target + ": cannot be read");
}

// Fills in the target; none at all is "any program".
base::Result<void> ChooseWindowsTarget(Look& look, const std::string& target) {
  if (target.empty()) return {};
  look.target = base::FromWindowsPath(target, look.snapshot.working_directory);
  const snapshot::FileFacts& facts = look.view->Open(look.target);
  if (facts.error == PathError::kNoEntry) return base::Fail(ErrorCode::kNotFound, target + ": no such file");
  if (facts.error != PathError::kNone) {
    return base::Fail(ErrorCode::kNotReadable, target + ": " + std::string(base::Strerror(facts.error)));
  }
  if (facts.kind != snapshot::FileKind::kRegular) {
    return base::Fail(ErrorCode::kBadFormat, target + ": not a regular file");
  }
  return CheckPe(facts, target);
}

}  // namespace

void AddWindows(const system::System& system, snapshot::Snapshot& snapshot) {
  snapshot.stack.windows = CollectWindows(system, snapshot.environment, snapshot.working_directory);
  snapshot.cpu = WindowsCpu(system, *snapshot.stack.windows);
}

base::Result<Look> LookAtWindows(const system::System& system, const std::string& target) {
  Look look{.snapshot = LookAtMachine(system), .view = std::make_unique<LiveFileView>(system)};
  if (const auto chosen = ChooseWindowsTarget(look, target); !chosen) return std::unexpected(chosen.error());
  return look;
}

base::Result<Look> LookIntoWindows(const snapshot::Snapshot& recorded, const std::string& target) {
  Look look{.snapshot = {.tool_version = recorded.tool_version,
                         .environment = recorded.environment,
                         .working_directory = recorded.working_directory,
                         .cpu = recorded.cpu},
            .view = std::make_unique<snapshot::RecordedFileView>(recorded.files)};
  look.snapshot.stack.windows = recorded.stack.windows;
  if (const auto chosen = ChooseWindowsTarget(look, target); !chosen) return std::unexpected(chosen.error());
  return look;
}

}  // namespace culprit::collect
