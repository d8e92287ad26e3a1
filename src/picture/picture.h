// Load graphs and findings -> the pictures of a page; a record -> its timeline.
#pragma once

#include <vector>

#include "report/check.h"
#include "report/picture.h"
#include "rules/rule.h"
#include "snapshot/record/run.h"

namespace culprit::picture {

// One for each scenario; the one with the worst finding comes first. `run`: the record that the observed
// processes belong to, for the times of their loads; nullptr if none.
std::vector<report::Picture> Pictures(const rules::Scene& scene, const report::CheckReport& check,
                                      const record::Run* run = nullptr);
std::vector<report::TimelineEvent> Timeline(const record::Run& run);

}  // namespace culprit::picture
