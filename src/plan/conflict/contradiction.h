// Requirements that contradict each other by their versions alone: "thing<2" and "thing>=2.1", "thing>2,<1".
// The tables need not know the package, or the releases, for that.
#pragma once

#include <optional>
#include <string>

#include "plan/question.h"

namespace culprit::plan {

// A line of a question that bounds a package.
struct BoundingLine {
  enum class From { kWant, kPassed, kLimit, kOtherLimit };
  From from = From::kWant;
  size_t index = 0;  // in its list of the question
  std::string name, specifiers, words;
};

struct Contradiction {
  BoundingLine one;
  std::optional<BoundingLine> other;  // nothing: no version meets the one
};

// Nothing if no line excludes another, or itself, for sure. Conflicts between two packages that the solver
// chooses are left to it: it says more about them.
std::optional<Contradiction> FindContradiction(const Question& question);

Question WithoutLine(Question question, const BoundingLine& line);

// "numpy<2 (requirements.txt:3)"
std::string WordsOf(const report::PassedThrough& passed);

}  // namespace culprit::plan
