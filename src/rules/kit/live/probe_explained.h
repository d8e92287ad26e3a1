// Whether what a rule found in the facts alone explains that a step of a probe failed: a finding of a fitting
// kind about a fitting place.
#pragma once

#include <span>

#include "rules/rule.h"

namespace culprit::rules {

// One of `findings`; nullptr when none does.
const report::Finding* ExplainedBy(const snapshot::ProbeFacts& facts, const snapshot::ProbeStep& step,
                                   std::span<const report::Finding> findings);

// Words of a compiler's output by which kinds of failures are told apart.
bool SaysHostCompiler(std::string_view words);
bool SaysUnknownArchitecture(std::string_view words);
bool SaysHeaderMissing(std::string_view words);

}  // namespace culprit::rules
