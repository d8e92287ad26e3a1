// Sentences of a plan that text and Markdown share.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>

#include "render/plan/plan.h"

namespace culprit::render {
namespace {

// Releases come every few weeks: after three months a newer framework is likely.
constexpr int kOldDays = 90;

std::optional<std::chrono::sys_days> ParseDay(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto number = [&](size_t at, size_t size) {
    int value = -1;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + at + size, value);
    return error == std::errc() && end == text.data() + at + size ? value : -1;
  };
  const int year = number(0, 4), month = number(5, 2), day = number(8, 2);
  if (year < 0 || month < 0 || day < 0) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date);
}

}  // namespace

std::optional<int> DaysBetween(const std::string& from, const std::string& to) {
  const auto first = ParseDay(from), last = ParseDay(to);
  if (!first || !last) return std::nullopt;
  return static_cast<int>((*last - *first).count());
}

std::string VersionOf(const report::PlannedPackage& package) {
  return package.role == report::PackageRole::kDriver && !package.present ? ">= " + package.version
                                                                          : package.version;
}

std::string KnowledgeText(const report::Plan& plan, const PlanDetail& detail) {
  if (plan.knowledge_date.empty()) return "the age of the tables is unknown";
  std::string text = "version tables from " + plan.knowledge_date;
  const auto days = DaysBetween(plan.knowledge_date, detail.today);
  if (!days || *days < 0) return text;
  text += *days == 0 ? ", today" : *days == 1 ? ", yesterday" : fmt::format(", {} days ago", *days);
  if (*days > kOldDays) text += "; they do not include newer releases; update culprit to get them";
  return text;
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
