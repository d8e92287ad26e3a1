// Runs the rules of check on the machine that a plan would create.
#pragma once

#include "plan/question.h"
#include "report/plan.h"

namespace culprit::prove {

// Fills checked, findings and not_checked of a plan.
void CheckPlan(const plan::Question& question, report::Plan& plan);

}  // namespace culprit::prove
