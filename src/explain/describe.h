// The words for what a text tells: made once, from the advice of the tables, the facts of a machine and the
// values of the log.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "explain/explain.h"
#include "explain/settle.h"
#include "report/explanation.h"

namespace culprit::explain {

report::LogLine Line(const logs::Symptom& symptom, const std::vector<report::LogInput>& inputs);

// One cause, for the system that the log comes from.
report::LikelyCause Describe(std::string_view slug, double score, const Differential& differential,
                             std::span<const logs::Symptom> symptoms,
                             const std::vector<report::LogInput>& inputs);
// What the machine says about a cause.
void AddFacts(report::LikelyCause& likely, std::span<const Settlement> settlements);
// What an error that nobody knows resembles.
void AddNearest(report::Explanation& explanation, base::Platform platform);

}  // namespace culprit::explain
