// `plan` as text, JSON and Markdown. Pure: report -> string.
#pragma once

#include <optional>
#include <string>

#include "render/style.h"
#include "report/plan.h"

namespace culprit::render {

struct PlanDetail {
  bool verbose = false;  // the source of every bound
  std::string today;     // "2026-11-15"; "" = the age of the knowledge is not told
};

std::string ToText(const report::Plan& plan, const Style& style, const PlanDetail& detail);
std::string ToJson(const report::Plan& plan, const PlanDetail& detail);
std::string ToMarkdown(const report::Plan& plan, const PlanDetail& detail);

// Days from one day to another, both as "2026-11-15"; nothing where one of them is no day.
std::optional<int> DaysBetween(const std::string& from, const std::string& to);

// "2.4.1"; ">= 525.60.13" of a driver that is not there.
std::string VersionOf(const report::PlannedPackage& package);
// "what is known: 2026-11-15, 3 days ago"; from 90 days on with what may be missed.
std::string KnowledgeText(const report::Plan& plan, const PlanDetail& detail);
// What the rules of check said about the machine that the plan would make.
std::string CheckedText(const report::Plan& plan);

}  // namespace culprit::render
