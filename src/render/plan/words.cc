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

std::string AskedText(const report::Plan& plan) {
  constexpr size_t kFirst = 8, kLast = 5;  // the host stands at the end
  const size_t count = plan.question.size();
  const bool all = count <= kFirst + kLast + 1;
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    if (!all && i == kFirst) text += fmt::format(", {} more", count - kFirst - kLast);
    if (all || i < kFirst || i + kLast >= count) text += (i == 0 ? "" : ", ") + plan.question[i];
  }
  return text;
}

std::string GivesText(const report::Relaxation& relaxation) {
  constexpr size_t kMost = 6;
  const size_t count = relaxation.gives.size();
  const size_t shown = count <= kMost + 1 ? count : kMost;
  std::string text;
  for (size_t i = 0; i < shown; ++i)
    text += (i == 0 ? "" : ", ") + relaxation.gives[i].name + " " + relaxation.gives[i].version;
  if (shown < count) text += fmt::format(" and {} more", count - shown);
  return text;
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
  return plan.unlisted.empty() ? "`culprit check` passes for this plan"
                               : "`culprit check` finds nothing wrong with the rest of this plan";
}

}  // namespace culprit::render
