// Whether a finding of a static rule explains why a probe step failed: a finding of a matching kind about a
// matching place.
#pragma once

#include <span>

#include "rules/rule.h"

namespace culprit::rules {

struct RuledFinding {
  const Rule* rule = nullptr;
  report::Finding finding;
};
// One of `findings`; nullptr if none explains it.
const report::Finding* ExplainedBy(const snapshot::ProbeFacts& facts, const snapshot::ProbeStep& step,
                                   std::span<const RuledFinding> findings);

// Classify compiler output.
bool SaysHostCompiler(std::string_view words);
bool SaysUnknownArchitecture(std::string_view words);
bool SaysHeaderMissing(std::string_view words);

}  // namespace culprit::rules
