// The answer of `culprit fleet diff`.
#pragma once

#include <string>

#include "render/style.h"
#include "report/fleet_diff.h"

namespace culprit::render {

std::string ToText(const report::FleetDiffReport& report, const Style& style, bool verbose);
std::string ToJson(const report::FleetDiffReport& report);
std::string ToMarkdown(const report::FleetDiffReport& report);

}  // namespace culprit::render
