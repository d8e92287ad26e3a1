#include "cli/fleet/fleet_run.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/fleet/engines.h"
#include "report/command.h"
#include "system/interruption.h"
#include "system/terminal_child.h"

namespace culprit::cli {
namespace {

std::string ToolOf(FleetEngine engine) {
  switch (engine) {
    case FleetEngine::kSsh:
      return "ssh";
    case FleetEngine::kSlurm:
      return "srun";
    case FleetEngine::kClush:
      return "clush";
    case FleetEngine::kKubernetes:
      break;
  }
  return "kubectl";
}

// The reason for nodes that have none of their own.
base::Result<std::string> Ask(const FleetRun& run, const std::vector<std::string>& nodes,
                              const Carried& carried, Answers& answers) {
  switch (run.engine) {
    case FleetEngine::kSsh:
      AskOverSsh(run, nodes, carried, answers);
      return "no answer";
    case FleetEngine::kSlurm:
      return AskOverSlurm(run, nodes, carried, answers);
    case FleetEngine::kClush:
      return AskOverClush(run, nodes, carried, answers);
    case FleetEngine::kKubernetes:
      break;
  }
  return AskOverKubernetes(run, nodes, answers);
}

}  // namespace

int AskFleet(const FleetRun& asked) {
  const system::Interruption interruption;
  FleetRun run = asked;
  run.stop = interruption.token();
  const std::string tool = ToolOf(run.engine);
  if (system::FindCommand(tool).path.empty())
    return Fail({base::ErrorCode::kNotFound, tool + " not found in PATH"});
  const auto nodes = NamedNodes(run);
  if (!nodes) return Fail(nodes.error());
  const auto carried = Carried::Make(run.programs);
  if (!carried) return Fail(carried.error());
  if (!MakeFolder(run.common.output))
    return Fail({base::ErrorCode::kNotReadable,
                 base::Printable(run.common.output) + ": " + std::generic_category().message(errno)});
  Answers answers(run.common.output, *nodes);
  const auto otherwise = Ask(run, *nodes, *carried, answers);
  if (!otherwise) return Fail(otherwise.error());
  const std::string signal = interruption.signal();
  const size_t silent = answers.Finish(signal.empty() ? *otherwise : "the run was ended by " + signal);
  if (!answers.written()) return kExitCannot;
  if (answers.answered() + silent == 0 && signal.empty())
    return Fail({base::ErrorCode::kNotFound, "no node answered: " + *otherwise});
  Note(run.common, fmt::format("{} answered, {} did not; for the comparison: culprit fleet report {}",
                               answers.answered(), silent, report::ForShell(run.common.output)));
  if (const size_t older = answers.CountOlder(); older > 0)
    Note(run.common,
         fmt::format("{} also has {} older {} of nodes that were not asked this time",
                     base::Printable(run.common.output), older, older == 1 ? "answer" : "answers"));
  interruption.EndByIt();
  return silent == 0 ? kExitOk : kExitCannot;
}

}  // namespace culprit::cli
