// What a page says besides the answer: the machine in words, the pictures, what is hidden of paths.
#pragma once

#include "render/page/page.h"
#include "report/check.h"
#include "rules/rule.h"
#include "snapshot/record/run.h"

namespace culprit::cli {

// `check`: its findings are marked in the pictures. `redact`: the home directory and the name of the user are
// hidden, as in Markdown. `run`: whose timeline there is, and whose observed processes are among the
// scenarios.
render::PageFacts FactsForPage(const rules::Scene& scene, const report::CheckReport& check, bool redact,
                               const record::Run* run = nullptr);

}  // namespace culprit::cli
