// What could change so that there is a solution, smallest change first. Each one has been solved.
#pragma once

#include <optional>
#include <vector>

#include "plan/conflict/trials.h"
#include "plan/question.h"
#include "report/plan.h"

namespace culprit::plan {

using Gives = std::optional<std::vector<report::PlannedPackage>>;

// The wanted packages of a solution that only gaps in the tables prevent; nothing if there is none.
Gives WithUnknown(Trials& trials);

// Whether the tables leave room for a solution: with what they do not know, and with builds that may exist.
bool MayWork(Trials& trials);

std::vector<report::Relaxation> RelaxationsOf(Trials& trials, const std::vector<Requirement>& smallest,
                                              const Gives& unknown);

}  // namespace culprit::plan
