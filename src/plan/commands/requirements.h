// The requirements of a question, one by one, and the smallest set of them that conflicts.
#pragma once

#include <string>
#include <vector>

#include "plan/question.h"
#include "plan/universe/builds.h"

namespace culprit::plan {

class Trials;

bool Drops(const std::vector<Requirement>& dropped, Requirement::Kind kind, size_t index = 0);

// In the order in which they are given up to find what the conflict is about: wants last.
std::vector<Requirement> RequirementsOf(const Question& question);

// The question without the requirements; of a machine several, one for each other kind.
std::vector<Question> Without(const Question& question, const std::vector<Requirement>& dropped);

// Of a question that cannot be solved: requirements of which each is necessary for that.
std::vector<Requirement> SmallestConflict(Trials& trials);
std::vector<Requirement> SmallestConflict(const Question& question, BuildTable& builds);

bool IsSolvable(const Question& question, BuildTable& builds);

}  // namespace culprit::plan
