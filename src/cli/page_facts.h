// What a page shows besides the answer: the machine in words, the pictures, and what is redacted.
#pragma once

#include "render/page/page.h"
#include "report/check.h"
#include "rules/rule.h"
#include "snapshot/record/run.h"

namespace culprit::cli {

// `check`: the pictures mark its findings. `redact`: hide the home directory and the user name, as in
// Markdown. `run`: adds a timeline and the observed processes; may be null.
render::PageFacts FactsForPage(const rules::Scene& scene, const report::CheckReport& check, bool redact,
                               const record::Run* run = nullptr);

// For several hosts: without pictures, driver and GPU.
render::PageFacts FactsForHosts(const snapshot::Snapshot& snapshot, bool redact);

// For a page about no machine in particular.
render::PageFacts FactsForFleet();

}  // namespace culprit::cli
