// `run` as text, JSON and Markdown. Pure: report -> string.
#pragma once

#include <string>

#include "render/style.h"
#include "report/run.h"

namespace culprit::render {

struct RunDetail {
  bool verbose = false;  // every load in order, every place searched for every failed one
};

std::string ToText(const report::RunReport& report, const Style& style, const RunDetail& detail = {});
std::string ToJson(const report::RunReport& report);
std::string ToMarkdown(const report::RunReport& report);

}  // namespace culprit::render
