#include "run/watch/attempts.h"

#include <map>

#include "binfmt/elf/elf.h"
#include "knowledge/messages/status_codes.h"

namespace culprit::watch {
namespace {

using base::LoadOutcome;

std::optional<LoadOutcome> OutcomeOf(base::PathError error, const system::System& machine,
                                     const std::string& path) {
  switch (error) {
    case base::PathError::kNoEntry: {
      const auto link = machine.LinkStat(path);
      return link && link->type == system::FileType::kLink ? LoadOutcome::kDanglingLink
                                                           : LoadOutcome::kMissing;
    }
    case base::PathError::kNotDirectory:
      return LoadOutcome::kNotADirectory;
    case base::PathError::kAccess:
      return LoadOutcome::kNotReadable;
    case base::PathError::kLoop:
      return LoadOutcome::kLinkLoop;
    case base::PathError::kNameTooLong:
      return LoadOutcome::kNameTooLong;
    default:
      return std::nullopt;
  }
}

uint16_t OwnMachine(const system::System& machine) {
  const std::string cpu = machine.HostCpu().machine;
  return cpu == "x86_64" ? 62 : cpu == "aarch64" ? 183 : 0;
}

std::string StatusName(const record::FailedCall& call) {
  const auto code = static_cast<int32_t>(call.code);
  if (call.api == base::CudaApi::kDriver || call.api == base::CudaApi::kRuntime) {
    const knowledge::CudaStatus* status = knowledge::FindCudaStatus(code);
    if (status == nullptr) return "";
    return std::string(call.api == base::CudaApi::kDriver ? status->driver_name : status->runtime_name);
  }
  if (call.api == base::CudaApi::kCudnn) {
    const knowledge::CudnnStatus* status = knowledge::FindCudnnStatus(code, 9);
    return status == nullptr ? "" : std::string(status->name);
  }
  if (call.api == base::CudaApi::kCublas) {
    for (const knowledge::StatusCode& status : knowledge::CublasStatuses()) {
      if (status.code == code) return std::string(status.name);
    }
  }
  return "";
}

}  // namespace

std::optional<LoadOutcome> OutcomeAt(const system::System& machine, const std::string& path) {
  const auto file = machine.Open(path);
  if (!file) return OutcomeOf(file.error(), machine, path);
  if (file->status.type == system::FileType::kDirectory) return LoadOutcome::kIsDirectory;
  if (!file->bytes) return std::nullopt;
  const binfmt::ElfFile elf = binfmt::ReadElf(*file->bytes);
  switch (elf.problem) {
    case binfmt::ElfProblem::kTooShort:
      return elf.file_size == 0 ? LoadOutcome::kEmptyFile : LoadOutcome::kTooShort;
    case binfmt::ElfProblem::kNotElf:
      return LoadOutcome::kNotElf;
    case binfmt::ElfProblem::kBadHeader:
      return LoadOutcome::kBadHeader;
    case binfmt::ElfProblem::kReadFailed:
      return std::nullopt;
    default:
      break;
  }
  if (elf.bits() != 64) return LoadOutcome::kWrongClass;
  if (const uint16_t ours = OwnMachine(machine); ours != 0 && elf.machine != ours)
    return LoadOutcome::kWrongMachine;
  return elf.complete() ? LoadOutcome::kFound : LoadOutcome::kTruncated;
}

void LookUp(const system::System& machine, record::Process& process) {
  for (record::Loaded& load : process.loads) {
    if (!load.path.starts_with('/')) continue;
    if (const auto real = machine.RealPath(load.path)) {
      load.real_path = *real == load.path ? "" : *real;
    } else if (real.error() == base::PathError::kNoEntry) {
      load.deleted = true;
    }
  }
  std::map<std::string, std::optional<LoadOutcome>> outcomes;
  for (record::Request& request : process.failed_requests) {
    for (record::Attempt& attempt : request.attempts) {
      if (!attempt.path.starts_with('/')) continue;
      const auto [found, fresh] = outcomes.try_emplace(attempt.path);
      if (fresh) found->second = OutcomeAt(machine, attempt.path);
      attempt.outcome = found->second;
    }
  }
  for (record::FailedCall& call : process.failed_calls) {
    if (call.status.empty()) call.status = StatusName(call);
  }
}

}  // namespace culprit::watch
