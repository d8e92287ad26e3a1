// What would have to change for something to fit, nearest first. Each one has been solved.
#pragma once

#include <vector>

#include "plan/conflict/trials.h"
#include "plan/question.h"
#include "report/plan.h"

namespace culprit::plan {

std::vector<report::Relaxation> RelaxationsOf(Trials& trials, const std::vector<Requirement>& smallest);

}  // namespace culprit::plan
