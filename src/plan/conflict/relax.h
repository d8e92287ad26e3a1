// What would have to change for something to fit, nearest first. Each one has been solved.
#pragma once

#include <optional>
#include <vector>

#include "plan/conflict/trials.h"
#include "plan/question.h"
#include "report/plan.h"

namespace culprit::plan {

using Gives = std::optional<std::vector<report::PlannedPackage>>;

// The wanted packages of a set that only the gaps of the tables speak against; nothing when there is none.
Gives WithUnknown(Trials& trials);

std::vector<report::Relaxation> RelaxationsOf(Trials& trials, const std::vector<Requirement>& smallest,
                                              const Gives& unknown);

}  // namespace culprit::plan
