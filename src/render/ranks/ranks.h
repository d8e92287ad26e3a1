// `culprit run` of many ranks as text, JSON and Markdown. Pure: report -> string.
#pragma once

#include <string>

#include "render/style.h"
#include "report/ranks.h"

namespace culprit::render {

std::string ToText(const report::RanksReport& report, const Style& style, bool verbose);
std::string ToJson(const report::RanksReport& report);
std::string ToMarkdown(const report::RanksReport& report);

}  // namespace culprit::render
