#include "probe/judge/probe.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "probe/judge/probe_groups.h"
#include "rules/kit/live/probe_facts.h"
#include "rules/kit/live/probe_failures.h"

namespace culprit::probe {
namespace {

using report::Finding;
using report::ProbeReport;
using report::ProbeStepRow;
using Outcome = ProbeStepRow::Outcome;
using rules::ProbeFailure;
using rules::Trouble;
using snapshot::JobKind;
using snapshot::ProbeStep;
using snapshot::StepName;
using snapshot::StepOutcome;

report::ProbeDevice Device(const snapshot::ProbedDevice& from) {
  report::ProbeDevice device{.index = from.cuda_index,
                             .nvml_index = from.nvml_index,
                             .name = from.name,
                             .uuid = from.uuid,
                             .bus_id = from.bus_id,
                             .compute_capability = from.compute_capability,
                             .ecc_errors = from.ecc_errors,
                             .driver_model = from.driver_model,
                             .compute_mode = from.compute_mode,
                             .mig = from.mig,
                             .ecc = from.ecc,
                             .memory_total = from.memory_total,
                             .memory_free = from.memory_free};
  for (const snapshot::MemoryHolder& holder : from.holders) {
    device.holders.push_back({std::to_string(holder.pid), holder.name, holder.bytes});
  }
  return device;
}

std::string Status(const ProbeStep& step) {
  const bool plain = step.outcome == StepOutcome::kOk || step.outcome == StepOutcome::kNotRun;
  return plain || step.status.empty() ? std::string(base::Word(step.outcome)) : step.status.text();
}

std::string Detail(const ProbeStep& step) {
  std::string detail = step.detail;
  if (step.outcome == StepOutcome::kFailed && !step.call.empty())
    detail = step.call + (detail.empty() ? "" : ": " + detail);
  if (!step.library.empty() && detail.find(step.library) == std::string::npos)
    detail += (detail.empty() ? "in " : ", in ") + step.library;
  return detail;
}

ProbeStepRow Row(const ProbeStep& step, const std::string& group) {
  ProbeStepRow row{.name = std::string(base::Word(step.name)),
                   .title = rules::TitleOf(step),
                   .group = group,
                   .subject = step.subject,
                   .outcome = step.outcome == StepOutcome::kOk       ? Outcome::kOk
                              : step.outcome == StepOutcome::kNotRun ? Outcome::kNotRun
                                                                     : Outcome::kFailed,
                   .status = Status(step),
                   .detail = Detail(step),
                   .ms = static_cast<double>(step.microseconds) / 1000,
                   .figures = step.figures};
  for (const snapshot::ProbedLibrary& library : step.libraries) {
    row.libraries.push_back({library.name, library.path, library.version});
  }
  return row;
}

// The finding about a step; nullptr when there is none.
const Finding* Explanation(const std::vector<ProbeFailure>& failures, const report::CheckReport& check,
                           const ProbeStep& step) {
  const auto found =
      std::ranges::find_if(failures, [&](const ProbeFailure& failure) { return failure.step == &step; });
  if (found == failures.end()) return nullptr;
  if (found->trouble == Trouble::kConsequence && found->behind != &step) {
    return Explanation(failures, check, *found->behind);
  }
  for (const Finding& finding : check.findings) {
    if (found->explained != nullptr) {
      if (finding.code == found->explained->code && finding.subject == found->explained->subject)
        return &finding;
      continue;
    }
    if (rules::IsAbout(finding, step)) return &finding;
  }
  return nullptr;
}

void AddOnce(std::vector<Finding>& findings, const Finding& finding) {
  if (std::ranges::find(findings, finding) == findings.end()) findings.push_back(finding);
}

// Each group in one piece. Groups with a failure first, those where it began before those that it only
// reached; the order of the probe otherwise.
void SortWorstFirst(std::vector<ProbeStepRow>& rows, const std::vector<std::string>& began) {
  const auto rank = [&](const std::string& group) {
    if (std::ranges::find(began, group) != began.end()) return 0;
    const bool failed = std::ranges::any_of(
        rows, [&](const ProbeStepRow& row) { return row.group == group && row.outcome == Outcome::kFailed; });
    return failed ? 1 : 2;
  };
  std::vector<std::string> groups;
  for (const ProbeStepRow& row : rows) {
    if (std::ranges::find(groups, row.group) == groups.end()) groups.push_back(row.group);
  }
  std::vector<ProbeStepRow> sorted;
  for (const int wanted : {0, 1, 2}) {
    for (const std::string& group : groups) {
      if (rank(group) != wanted) continue;
      std::ranges::copy_if(rows, std::back_inserter(sorted),
                           [&](const ProbeStepRow& row) { return row.group == group; });
    }
  }
  rows = std::move(sorted);
}

size_t Count(const ProbeReport& report, Outcome outcome) {
  return static_cast<size_t>(std::ranges::count(report.steps, outcome, &ProbeStepRow::outcome));
}

std::string Counted(size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

bool Has(const ProbeReport& report, report::Severity severity) {
  return std::ranges::any_of(report.findings,
                             [&](const Finding& finding) { return finding.severity == severity; });
}

void Conclude(ProbeReport& report, bool wish_left_open) {
  const size_t failed = Count(report, Outcome::kFailed), passed = Count(report, Outcome::kOk);
  const std::string tried = Counted(failed + passed, "step");
  if (failed > 0) {
    report.verdict = report::Verdict::kErrors;
    report.headline = std::to_string(failed) + " of " + tried + " failed";
  } else if (Has(report, report::Severity::kError)) {
    report.verdict = report::Verdict::kErrors;
    report.headline = "every step passed (" + std::to_string(passed) + "), but something is wrong";
  } else if (passed == 0) {
    report.verdict = report::Verdict::kUnknown;
    report.headline = "inconclusive: nothing could be tested";
  } else if (wish_left_open) {
    report.verdict = report::Verdict::kUnknown;
    report.headline = tried + " passed; not everything requested could be tested";
  } else if (Has(report, report::Severity::kWarning)) {
    report.verdict = report::Verdict::kWarnings;
    report.headline = "every step passed (" + std::to_string(passed) + "), with a warning";
  } else {
    report.verdict = report::Verdict::kOk;
    report.headline = "every step passed (" + std::to_string(passed) + ")";
  }
}

// What to tell the build system, where building was asked for: the step that compiles chose it.
std::vector<std::string> Advice(const snapshot::ProbeFacts& facts) {
  std::vector<std::string> advice;
  for (const ProbeStep& step : facts.steps) {
    if (step.name != StepName::kCompileCuda) continue;
    const auto cmake = step.figures.find("cmake"), nvcc = step.figures.find("nvcc");
    if (cmake != step.figures.end())
      advice.push_back("cmake: " + std::string(cmake->second.starts_with("-D") ? "" : "-D") + cmake->second);
    if (nvcc != step.figures.end()) advice.push_back("nvcc: " + nvcc->second);
  }
  return advice;
}

}  // namespace

ProbeReport Probe(const rules::Scene& scene, const report::CheckReport& check) {
  ProbeReport report;
  if (!scene.stack().probe) {
    report.headline = "inconclusive: nothing was tested";
    report.not_checked.push_back({"the probe", scene.stack().probe.why});
    return report;
  }
  const snapshot::ProbeFacts& facts = *scene.stack().probe;
  const auto& failures = rules::ProbeFailures(scene).failures;
  for (const snapshot::ProbedDevice& device : facts.devices) report.devices.push_back(Device(device));
  std::vector<std::string> began;
  bool wish_left_open = false;
  for (const ProbeStep& step : facts.steps) {
    ProbeStepRow row = Row(step, GroupOf(scene, step));
    if (row.outcome == Outcome::kFailed) {
      if (const Finding* finding = Explanation(failures, check, step)) {
        row.cause = finding->cause;
        row.code = finding->code;
        AddOnce(report.findings, *finding);
      }
      const bool reached = std::ranges::any_of(failures, [&](const ProbeFailure& failure) {
        return failure.step == &step && failure.trouble == Trouble::kConsequence;
      });
      if (!reached) began.push_back(row.group);
    }
    if (row.outcome == Outcome::kNotRun && !rules::FollowsFromFailure(facts, step)) {
      report.not_checked.push_back(
          {row.title + (step.subject.empty() ? "" : " (" + step.subject + ")"), step.detail});
      const JobKind kind = JobOf(step.name);
      wish_left_open |= kind == JobKind::kFramework || kind == JobKind::kCompile;
    }
    report.steps.push_back(std::move(row));
  }
  for (const Finding& finding : check.findings) {
    const bool live = finding.live() && finding.severity != report::Severity::kNote;
    if (finding.severity == report::Severity::kError || live) AddOnce(report.findings, finding);
  }
  SortWorstFirst(report.steps, began);
  report.advice = Advice(facts);
  Conclude(report, wish_left_open);
  return report;
}

}  // namespace culprit::probe
