#include "cli/fleet/brief.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "cli/command.h"
#include "fleet/brief.h"
#include "fleet/pieces.h"
#include "render/redact.h"
#include "system/own_program.h"

namespace culprit::cli {
std::string NodeName(const Options& options, const system::System& machine) {
  const auto variables = machine.Environment();
  const std::string of_slurm = base::ValueOf(variables, "SLURMD_NODENAME");
  if (options.root.empty() && !of_slurm.empty()) return of_slurm;
  for (const char* file : {"/proc/sys/kernel/hostname", "/etc/hostname"}) {
    if (!options.root.empty() && std::string_view(file).starts_with("/proc")) continue;
    const auto text = system::ReadWholeFile(machine, file, 1024);
    if (text && !base::Trim(*text).empty()) return std::string(base::Trim(*text));
  }
  return base::ValueOf(variables, "COMPUTERNAME");
}

std::string TimeNow() {
  return fmt::format("{:%FT%TZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

void BeginCarried(BriefWishes& wishes) {
  const std::string in_slurm = base::ValueOf(system::RealSystem()->Environment(), "SLURMD_NODENAME");
  if (wishes.node.empty()) wishes.node = in_slurm;
  std::error_code ignored;
  std::filesystem::remove(system::OwnProgram(), ignored);
  Print(fmt::format("{}{}\n", kStarted, wishes.node));
}

int WriteBrief(const Options& options, engine::Diagnosis& diagnosis, const BriefWishes& wishes) {
  const auto report = diagnosis.Judge();
  const snapshot::Snapshot& snapshot = diagnosis.snapshot();
  std::string node = wishes.node;
  if (node.empty()) node = NodeName(options, *diagnosis.subject().machine);
  if (node.empty())
    return Fail(
        {base::ErrorCode::kNotReadable, "the host name of this machine is unknown; pass --node NAME"});
  const std::string home = base::ValueOf(snapshot.environment, "HOME"),
                    user = base::ValueOf(snapshot.environment, "USER");
  const auto hide = [&](const std::string& text) { return render::Redact(text, home, user); };
  const fleet::Brief brief = fleet::MakeBrief(snapshot, report, hide, std::move(node), TimeNow());
  const std::string line = fleet::ToLine(brief);
  return WriteBytes(options, wishes.pieces ? fleet::InPieces(line, brief.node) : line + "\n") ? kExitOk
                                                                                              : kExitCannot;
}

}  // namespace culprit::cli
