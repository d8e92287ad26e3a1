// A choice -> the packages of a plan, each with the bounds that decide it.
#pragma once

#include "plan/pool.h"
#include "plan/question.h"
#include "plan/universe/universe.h"
#include "report/plan.h"

namespace culprit::plan {

// Fills packages, removed and notes.
void WriteAnswer(const Question& question, const Universe& universe, const Choice& choice,
                 report::Plan& plan);
// The wanted packages alone, without reasons.
std::vector<report::PlannedPackage> WantedOf(const Universe& universe, const std::vector<size_t>& wants,
                                             const Choice& choice);

}  // namespace culprit::plan
