// The answers of `culprit fleet`.
#pragma once

#include <string>

#include "render/exposition.h"
#include "render/page/page.h"
#include "render/style.h"
#include "report/fleet.h"

namespace culprit::render {

std::string ToText(const report::FleetReport& report, const Style& style, bool verbose);
std::string ToJson(const report::FleetReport& report);
std::string ToMarkdown(const report::FleetReport& report);
std::string ToPrometheus(const report::FleetReport& report, Moment now);
std::string ToHtml(const report::FleetReport& report, const PageFacts& facts);

}  // namespace culprit::render
