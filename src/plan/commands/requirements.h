// The requirements of a question, one by one, and the smallest set of them that conflicts.
#pragma once

#include <string>
#include <vector>

#include "plan/question.h"
#include "plan/universe/builds.h"

namespace culprit::plan {

struct Requirement {
  enum class Kind { kMachine, kGlibc, kCuda, kKeep, kLimit, kInstalled, kGpu, kPython, kDriver, kWant };
  Kind kind = Kind::kWant;
  size_t index = 0;   // of wants, gpus, keep, installed, limits
  std::string words;  // "torch>=2.1", "driver 470.82", "GPU sm_37", "Python 3.9", "Windows"
};

// In the order in which they are given up to find what the conflict is about: wants last.
std::vector<Requirement> RequirementsOf(const Question& question);

// The question without the requirements; of a machine several, one for each other kind.
std::vector<Question> Without(const Question& question, const std::vector<Requirement>& dropped);

// Of a question that cannot be solved: requirements of which each is necessary for that.
std::vector<Requirement> SmallestConflict(const Question& question, BuildTable& builds);

bool IsSolvable(const Question& question, BuildTable& builds);

}  // namespace culprit::plan
