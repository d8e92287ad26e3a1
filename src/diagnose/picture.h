// Load graphs and findings -> the pictures of a page; a record -> its timeline.
#pragma once

#include <vector>

#include "record/run.h"
#include "report/check.h"
#include "report/picture.h"
#include "rules/rule.h"

namespace culprit::diagnose {

// The picture that shows the worst finding comes first.
std::vector<report::Picture> Pictures(const rules::Scene& scene, const report::CheckReport& check);
std::vector<report::TimelineEvent> Timeline(const record::Run& run);

}  // namespace culprit::diagnose
