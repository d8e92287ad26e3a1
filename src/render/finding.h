// One finding; looks the same in a check and in a probe.
#pragma once

#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "render/style.h"
#include "report/check.h"

namespace culprit::render {

std::string FindingText(const report::Finding& finding, const Style& style);
base::Json FindingJson(const report::Finding& finding);
std::string FindingMarkdown(const report::Finding& finding);

// A text in the color of a severity.
std::string SeverityText(report::Severity severity, std::string_view text, const Style& style);

// The headline in the color of the verdict.
std::string VerdictText(report::Verdict verdict, const std::string& headline, const Style& style);

}  // namespace culprit::render
