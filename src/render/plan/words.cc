// Sentences of a plan that text and Markdown share.
#include <fmt/format.h>

#include <algorithm>

#include "render/edition.h"
#include "render/plan/plan.h"

namespace culprit::render {
std::string VersionOf(const report::PlannedPackage& package) {
  return package.role == report::PackageRole::kDriver && !package.present ? ">= " + package.version
                                                                          : package.version;
}

std::string KnowledgeText(const report::Plan& plan, const PlanDetail& detail) {
  return TablesText(plan.knowledge_date, detail.today);
}

std::string CheckedText(const report::Plan& plan) {
  if (!plan.checked) return "";
  const auto count = [&](report::Severity severity) {
    return std::ranges::count(plan.findings, severity, &report::Finding::severity);
  };
  const auto errors = count(report::Severity::kError), warnings = count(report::Severity::kWarning);
  if (errors > 0) {
    return fmt::format("this plan fails `culprit check` with {} error{}", errors, errors == 1 ? "" : "s");
  }
  if (warnings > 0) {
    return fmt::format("`culprit check` gives {} warning{} for this plan", warnings,
                       warnings == 1 ? "" : "s");
  }
  return "`culprit check` passes for this plan";
}

}  // namespace culprit::render
