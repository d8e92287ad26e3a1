// A check for Prometheus. Labels are codes, causes and a few facts, never paths or sentences: their number is
// bounded by the rules and the GPUs. Unknown values have no number that looks like one: they are 0 in
// culprit_known.
#include <map>
#include <tuple>

#include "render/check/check.h"
#include "render/exposition.h"

namespace culprit::render {
namespace {

using report::StackKind;
using report::StackRow;

long long CountOf(size_t count) { return static_cast<long long>(count); }

void AddFindingCounts(const report::CheckReport& report, Exposition& metrics) {
  std::map<std::tuple<report::Severity, std::string, std::string>, long long> counts;
  for (const report::Finding& finding : report.findings)
    ++counts[{finding.severity, finding.code, finding.cause}];
  metrics.Begin("culprit_findings", "Findings of the last check, by code; see culprit explain CODE.");
  for (const auto& [key, count] : counts) {
    const auto& [severity, code, cause] = key;
    metrics.Add({{"code", code}, {"cause", cause}, {"severity", Name(severity)}}, count);
  }
}

bool IsKnown(const std::vector<StackRow>& stack, StackKind kind) {
  bool any = false;
  for (const StackRow& row : stack) {
    if (row.kind != kind) continue;
    if (row.unknown) return false;
    any = true;
  }
  return any;
}

void AddHardware(const std::vector<StackRow>& stack, Exposition& metrics) {
  const bool gpus_known = IsKnown(stack, StackKind::kGpu);
  metrics.Begin("culprit_known",
                "1 if the last check could look for it, even if there is none; 0 if it could not.");
  metrics.Add({{"what", "driver"}}, IsKnown(stack, StackKind::kDriver));
  metrics.Add({{"what", "gpus"}}, gpus_known);
  metrics.Begin("culprit_driver_info", "The loaded NVIDIA driver. No series: no driver, or unknown.");
  for (const StackRow& row : stack) {
    if (row.kind == StackKind::kDriver && !row.none) metrics.Add({{"version", row.value}}, 1);
  }
  long long gpus = 0;
  metrics.Begin("culprit_gpu_info", "The NVIDIA GPUs.");
  for (const StackRow& row : stack) {
    if (row.kind != StackKind::kGpu || row.none) continue;
    metrics.Add({{"gpu", std::to_string(gpus)}, {"bus", row.where}, {"name", row.value}}, 1);
    ++gpus;
  }
  if (gpus_known) metrics.Single("culprit_gpus", "Number of NVIDIA GPUs. No series: unknown.", gpus);
}

}  // namespace

std::string ToPrometheus(const report::CheckReport& report, Moment now) {
  Exposition metrics;
  metrics.Time("culprit_last_check_timestamp_seconds", "Time at which the last check ended.", now);
  metrics.Verdict("culprit_verdict",
                  "1 for the verdict of the last check. \"unknown\": something could not be checked.",
                  report.verdict);
  AddFindingCounts(report, metrics);
  size_t ignored = 0;
  for (const report::Ignored& one : report.ignored) ignored += one.findings.size();
  metrics.Single("culprit_ignored_findings", "Findings ignored on request.", CountOf(ignored));
  metrics.Single("culprit_not_checked", "Things that the last check could not check.",
                 CountOf(report.not_checked.size()));
  metrics.Single("culprit_rules", "Number of rules of this culprit.", CountOf(report.rules_total));
  metrics.Single("culprit_rules_run", "Number of rules that had the facts they need.",
                 CountOf(report.rules_run));
  AddHardware(report.stack, metrics);
  return metrics.Take();
}

}  // namespace culprit::render
