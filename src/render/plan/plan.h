// `plan` as text, JSON and Markdown. Pure: report -> string.
#pragma once

#include <optional>
#include <string>

#include "render/style.h"
#include "report/plan.h"

namespace culprit::render {

struct PlanDetail {
  bool verbose = false;  // the source of every bound
  std::string today;     // "2026-11-15"; "" = do not show the age of the data
};

std::string ToText(const report::Plan& plan, const Style& style, const PlanDetail& detail);
std::string ToJson(const report::Plan& plan, const PlanDetail& detail);
std::string ToMarkdown(const report::Plan& plan, const PlanDetail& detail);

// "2.4.1"; ">= 525.60.13" for a driver that is not installed.
std::string VersionOf(const report::PlannedPackage& package);
// The question, without the middle of a long list.
std::string AskedText(const report::Plan& plan);
// The packages that a relaxation gives; of many the first.
std::string GivesText(const report::Relaxation& relaxation);
// "version tables from 2026-11-15, 3 days ago"; after 90 days with a warning that newer releases may be
// missing.
std::string KnowledgeText(const report::Plan& plan, const PlanDetail& detail);
// What check says about the planned machine.
std::string CheckedText(const report::Plan& plan);

}  // namespace culprit::render
