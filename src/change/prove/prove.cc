#include "change/prove/prove.h"

#include <algorithm>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel/in_time.h"
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

// The machine with the subject's variables, so that changes to them count.
void GiveEnvironment(engine::Subject& subject) {
  if (!subject.environment) return;
  system::SystemChanges changes;
  for (const auto& [name, value] : subject.machine->Environment()) changes.unset.insert(name);
  for (const auto& [name, value] : *subject.environment) changes.variables.insert_or_assign(name, value);
  subject.machine = system::ChangedSystem(subject.machine, std::move(changes));
  subject.environment.reset();
}

// Why this fix cannot be verified on `subject`; "" if it can.
std::string NotToBeTried(const engine::Subject& subject, const report::Finding& finding) {
  if (subject.machine == nullptr) return "a snapshot does not contain the file contents";
  if (finding.fix.changes.empty()) return "the exact changes are not known in advance";
  if (finding.live()) return "only a probe of the running machine can verify it";
  return "";
}

// The rules' results on the machine with `changes` laid over it.
base::Result<report::CheckReport> Afterwards(engine::Subject subject, std::vector<report::Change> changes) {
  subject.host = whatif::SaidHostAfter(subject.host, changes);
  GiveEnvironment(subject);
  auto changed = whatif::CarryOut(subject.machine, changes);
  if (!changed) return std::unexpected(changed.error());
  subject.machine = std::move(*changed);
  subject.known.reset();
  engine::Diagnosis diagnosis(std::move(subject));
  if (auto looked = diagnosis.LookAndPlay(); !looked) return std::unexpected(looked.error());
  return diagnosis.Judge();
}

// A changed machine cannot be probed, so a finding of a probe cannot be gone there.
report::CheckReport WithoutProbe(report::CheckReport report) {
  std::erase_if(report.findings, [](const auto& one) { return one.live(); });
  return report;
}

// Several findings may need the same changes, which are verified once.
struct Trial {
  const std::vector<report::Change>* changes;
  std::future<base::Result<report::CheckReport>> outcome;
  std::vector<report::Finding*> findings;
};

// More findings than that have one root, or nobody reads them all.
constexpr size_t kMostTrials = 8;
constexpr size_t kMostOfATrial = 100;

}  // namespace

report::Proof Prove(engine::Subject subject, const report::CheckReport& before,
                    const report::Finding& finding) {
  if (std::string why = NotToBeTried(subject, finding); !why.empty()) return NotShown(std::move(why));
  const auto after = Afterwards(std::move(subject), finding.fix.changes);
  if (!after) return NotShown(after.error().message);
  return Comparison(WithoutProbe(before), *after).Of(finding);
}

void ProveFixes(const engine::Subject& subject, report::CheckReport& report) {
  std::vector<Trial> trials;
  for (report::Finding& finding : report.findings) {
    if (finding.severity == report::Severity::kNote || !NotToBeTried(subject, finding).empty()) continue;
    const auto same = std::ranges::find_if(
        trials, [&](const Trial& trial) { return *trial.changes == finding.fix.changes; });
    if (same != trials.end()) {
      if (same->findings.size() < kMostOfATrial) same->findings.push_back(&finding);
    } else if (trials.size() < kMostTrials) {
      trials.push_back({.changes = &finding.fix.changes,
                        .outcome = base::StartAside([subject, changes = finding.fix.changes] {
                          return Afterwards(subject, changes);
                        }),
                        .findings = {&finding}});
    }
  }
  const report::CheckReport before = WithoutProbe(report);
  for (Trial& trial : trials) {
    const auto after = trial.outcome.get();
    if (!after) {
      for (report::Finding* finding : trial.findings) finding->fix.proof = NotShown(after.error().message);
      continue;
    }
    const Comparison comparison(before, *after);
    for (report::Finding* finding : trial.findings) finding->fix.proof = comparison.Of(*finding);
  }
}

}  // namespace culprit::prove
