// The reasons for a chosen version: what it needs and has, and what excludes newer ones.
#pragma once

#include <string>
#include <vector>

#include "plan/pool.h"
#include "plan/question.h"
#include "plan/universe/narrow.h"
#include "plan/universe/universe.h"
#include "report/plan.h"

namespace culprit::plan {

std::vector<report::Bound> BoundsOf(const Question& question, const Universe& universe,
                                    const Narrowed& narrowed, const Choice& choice, size_t package);

// What is newer and not known enough to be chosen, and what is not known of what was chosen.
void AddNotes(const Question& question, const Universe& universe, const Narrowed& narrowed,
              const Choice& choice, std::vector<std::string>& notes);

}  // namespace culprit::plan
