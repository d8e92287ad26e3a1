// What would have to change for something to fit, nearest first. Each one has been solved.
#pragma once

#include <vector>

#include "plan/commands/requirements.h"
#include "plan/question.h"
#include "plan/universe/builds.h"
#include "report/plan.h"

namespace culprit::plan {

std::vector<report::Relaxation> RelaxationsOf(const Question& question,
                                              const std::vector<Requirement>& smallest, BuildTable& builds);

}  // namespace culprit::plan
