// One finding, in a check and in a probe.
#pragma once

#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "render/style.h"
#include "report/check.h"

namespace culprit::render {

std::string FindingText(const report::Finding& finding, const Style& style);
// What is ignored, as lines of "what: why": "CUL3014 x 2", "we pin it in the image (.culprit.toml:4)".
std::vector<report::NotChecked> IgnoredLines(const report::CheckReport& report);
// "3 of 7: RUN pip install torch": the layer of an image, in words.
std::string LayerWords(const report::Layer& layer);
// What a trial of the fix said against it; "" if nothing did.
std::string Caution(const report::Fix& fix);
base::Json LayerJson(const report::Layer& layer);
base::Json ProofJson(const report::Proof& proof);
base::Json FindingJson(const report::Finding& finding);
std::string FindingMarkdown(const report::Finding& finding);

// Text in the color of a severity.
std::string SeverityText(report::Severity severity, std::string_view text, const Style& style);

// The headline in the color of the verdict.
std::string VerdictText(report::Verdict verdict, const std::string& headline, const Style& style);

}  // namespace culprit::render
