// `explain` as text, JSON and Markdown. Pure: report -> string.
#pragma once

#include <string>

#include "render/style.h"
#include "report/explanation.h"

namespace culprit::render {

struct ExplainDetail {
  bool verbose = false;  // every cause in full, and all symptoms
};

std::string ToText(const report::Explanation& explanation, const Style& style,
                   const ExplainDetail& detail = {});
std::string ToJson(const report::Explanation& explanation);
std::string ToMarkdown(const report::Explanation& explanation);

}  // namespace culprit::render
