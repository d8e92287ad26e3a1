// What a page says besides the answer: the machine in words, the pictures, what is hidden of paths.
#pragma once

#include "render/page.h"
#include "report/check.h"
#include "rules/rule.h"

namespace culprit::cli {

// `redact`: the home directory and the name of the user are hidden, as in Markdown.
render::PageFacts FactsForPage(const rules::Scene& scene, const report::CheckReport& check, bool redact);

}  // namespace culprit::cli
