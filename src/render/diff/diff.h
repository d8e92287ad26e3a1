// `culprit diff` as text, JSON and Markdown. Pure: report -> string.
#pragma once

#include <string>

#include "render/style.h"
#include "report/diff.h"

namespace culprit::render {

struct DiffDetail {
  bool verbose = false;  // also minor differences, and everything that follows from a difference
};

// Differences below this are only counted, unless --verbose is given.
inline constexpr int kHardlyMatters = 20;

std::string ToText(const report::DiffReport& report, const Style& style, const DiffDetail& detail = {});
std::string ToJson(const report::DiffReport& report);
std::string ToMarkdown(const report::DiffReport& report);

}  // namespace culprit::render
