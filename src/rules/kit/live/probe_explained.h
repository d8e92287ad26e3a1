// Whether a finding of a static rule explains why a probe step failed: a finding of a matching kind about a
// matching place.
#pragma once

#include <span>

#include "rules/rule.h"

namespace culprit::rules {

// One of `findings`; nullptr if none explains it.
const report::Finding* ExplainedBy(const snapshot::ProbeFacts& facts, const snapshot::ProbeStep& step,
                                   std::span<const report::Finding> findings);

// Classify compiler output.
bool SaysHostCompiler(std::string_view words);
bool SaysUnknownArchitecture(std::string_view words);
bool SaysHeaderMissing(std::string_view words);

}  // namespace culprit::rules
