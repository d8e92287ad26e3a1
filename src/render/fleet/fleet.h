// The answers of `culprit fleet`.
#pragma once

#include <string>

#include "render/style.h"
#include "report/fleet.h"

namespace culprit::render {

std::string ToText(const report::FleetReport& report, const Style& style, bool verbose);
std::string ToJson(const report::FleetReport& report);
std::string ToMarkdown(const report::FleetReport& report);

}  // namespace culprit::render
