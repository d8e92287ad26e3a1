#include "cli/prove.h"

#include <algorithm>

#include "change/prove/proof.h"
#include "change/whatif/carry_out.h"
#include "system/changed.h"

namespace culprit::cli {
namespace {

using Machine = std::shared_ptr<const system::System>;

report::Proof NotShown(std::string why) {
  report::Proof proof;
  proof.why = std::move(why);
  return proof;
}

// The machine with the variables of --env as its own, so that a change of one counts.
base::Result<Machine> WithEnvironment(const Machine& machine, const Options& options) {
  auto given = ReadEnvironment(options);
  if (!given) return std::unexpected(given.error());
  if (!*given) return machine;
  system::SystemChanges changes;
  for (const auto& [name, value] : machine->Environment()) changes.unset.insert(name);
  for (const auto& [name, value] : **given) changes.variables.insert_or_assign(name, value);
  return system::ChangedSystem(machine, std::move(changes));
}

// A collector that was abandoned for taking too long may still look at it.
void KeepForEver(const Machine& machine) {
  static auto& kept = *new std::vector<Machine>;
  kept.push_back(machine);
}

}  // namespace

report::Proof Prove(const Subject& subject, const LookOptions& options, const report::CheckReport& before,
                    const report::Finding& finding) {
  if (!subject.snapshot_file.empty() || !subject.machine)
    return NotShown("a snapshot does not contain the files themselves");
  if (finding.fix.changes.empty()) return NotShown("the exact changes are not known in advance");
  if (finding.code.starts_with("CUL9")) return NotShown("only a probe of the running machine can verify it");
  const auto machine = WithEnvironment(subject.machine, options.common);
  if (!machine) return NotShown(machine.error().message);
  std::vector<report::Change> changes = finding.fix.changes;
  const std::string host = whatif::SaidHostAfter(options.host, changes);
  const auto changed = whatif::CarryOut(*machine, changes);
  if (!changed) return NotShown(changed.error().message);
  KeepForEver(*changed);

  Options common = options.common;
  common.env_file.clear();
  Subject then = subject;
  then.machine = *changed;
  const auto facts = LookAt(then, {.common = common,
                                   .host = host,
                                   .python = options.python,
                                   .seconds = options.seconds,
                                   .verify = options.verify});
  if (!facts) return NotShown(facts.error().message);
  const auto after =
      JudgeInTime(*facts, StartPlaying(*facts, then.programs), options.seconds * subject.patience);
  // Nobody probes a machine that does not exist: what a probe found cannot be gone there.
  report::CheckReport comparable = before;
  std::erase_if(comparable.findings, [](const auto& one) { return one.code.starts_with("CUL9"); });
  return prove::Compare(comparable, after, finding);
}

}  // namespace culprit::cli
