#include "probe/judge/probe_words.h"

#include <algorithm>

#include "explain/explain.h"
#include "explain/logs/read_text.h"
#include "explain/logs/text_stream.h"
#include "explain/settle.h"
#include "rules/kit/live/probe_facts.h"
#include "rules/kit/live/probe_failures.h"
#include "rules/kit/loading/load_error.h"

namespace culprit::probe {
namespace {

using report::Finding;

constexpr double kSure = 0.3;  // below, the rule's own words are better

// Whether the rule leaves the cause to the words.
bool LeavesOpen(const rules::ProbeFailure& failure) {
  const base::StepStatus& status = failure.step->status;
  switch (failure.trouble) {
    case rules::Trouble::kFramework:
      return status != base::OwnStatus::kCpuOnly && status != base::OwnStatus::kNotCuda;
    case rules::Trouble::kBuiltDoesNotRun:  // what was linked is there
      return rules::ReadLoadError(rules::Words(*failure.step)).cause.empty();
    case rules::Trouble::kOther:
      return true;
    default:
      return false;
  }
}

// The best cause behind the words; "" when they show none.
report::LikelyCause BestCause(const rules::Scene& scene, const snapshot::ProbeStep& step,
                              const report::CheckReport& by_files) {
  logs::TextStream stream(rules::Words(step));
  const auto text = logs::ReadLog(stream);
  if (!text) return {};
  const auto& symptoms = text->symptoms;
  if (symptoms.empty()) return {};
  auto settlements = explain::Settle(symptoms, scene, by_files);
  const snapshot::ProbedDevice* device = rules::DeviceOf(*scene.stack().probe, step);
  if (device != nullptr && device->memory_total > 0 && !rules::HardlyAnyFree(*device)) {
    settlements.push_back({"out-of-memory", false, rules::Size(device->memory_free) + " were free"});
  }
  const auto explanation = explain::Explain(symptoms, {{"-", text->lines}}, settlements);
  if (explanation.causes.empty() || explanation.causes.front().confidence < kSure) return {};
  return explanation.causes.front();
}

void Complete(const report::LikelyCause& best, Finding& finding) {
  finding.cause = best.cause;
  finding.evidence.push_back({best.summary, "culprit explain"});
  if (best.fix.empty()) return;
  finding.fix.text = best.fix + (best.avoid.empty() ? "" : "; " + best.avoid);
  if (!best.commands.empty()) finding.fix.commands = best.commands;
}

}  // namespace

void RaiseWhatHappened(const rules::Scene& scene, report::CheckReport& report) {
  for (const rules::ProbeFailure& failure : rules::ProbeFailures(scene).failures) {
    if (failure.explained == nullptr) continue;
    for (Finding& finding : report.findings) {
      if (finding.code == failure.explained->code && finding.subject == failure.explained->subject &&
          finding.severity == report::Severity::kWarning) {
        finding.severity = report::Severity::kError;
      }
    }
  }
}

void ReadWords(const rules::Scene& scene, report::CheckReport& report) {
  report::CheckReport by_files;
  std::ranges::copy_if(report.findings, std::back_inserter(by_files.findings),
                       [](const Finding& finding) { return !finding.live(); });
  for (const rules::ProbeFailure& failure : rules::ProbeFailures(scene).failures) {
    if (!LeavesOpen(failure)) continue;
    for (Finding& finding : report.findings) {
      if (!finding.live() || !rules::IsAbout(finding, *failure.step)) continue;
      if (const auto best = BestCause(scene, *failure.step, by_files); !best.cause.empty())
        Complete(best, finding);
    }
  }
}

}  // namespace culprit::probe
