#include "change/prove/prove.h"

#include <memory>
#include <utility>
#include <vector>

#include "change/prove/proof.h"
#include "change/whatif/carry_out.h"
#include "system/changed.h"

namespace culprit::prove {
namespace {

report::Proof NotShown(std::string why) {
  report::Proof proof;
  proof.why = std::move(why);
  return proof;
}

// The machine with the variables of the subject as its own, so that a change of one counts.
void GiveEnvironment(engine::Subject& subject) {
  if (!subject.environment) return;
  system::SystemChanges changes;
  for (const auto& [name, value] : subject.machine->Environment()) changes.unset.insert(name);
  for (const auto& [name, value] : *subject.environment) changes.variables.insert_or_assign(name, value);
  subject.machine = system::ChangedSystem(subject.machine, std::move(changes));
  subject.environment.reset();
}

}  // namespace

report::Proof Prove(engine::Subject subject, const report::CheckReport& before,
                    const report::Finding& finding) {
  if (subject.machine == nullptr) return NotShown("a snapshot does not contain the files themselves");
  if (finding.fix.changes.empty()) return NotShown("the exact changes are not known in advance");
  if (finding.live()) return NotShown("only a probe of the running machine can verify it");
  std::vector<report::Change> changes = finding.fix.changes;
  subject.host = whatif::SaidHostAfter(subject.host, changes);
  GiveEnvironment(subject);
  auto changed = whatif::CarryOut(subject.machine, changes);
  if (!changed) return NotShown(changed.error().message);
  subject.machine = std::move(*changed);
  subject.known.reset();
  engine::Diagnosis diagnosis(std::move(subject));
  if (auto looked = diagnosis.Look(); !looked) return NotShown(looked.error().message);
  diagnosis.Play();
  const report::CheckReport after = diagnosis.Judge();
  // Nobody probes a machine that does not exist: what a probe found cannot be gone there.
  report::CheckReport comparable = before;
  std::erase_if(comparable.findings, [](const auto& one) { return one.live(); });
  return Compare(comparable, after, finding);
}

}  // namespace culprit::prove
