// Requirements that are passed through and exclude each other: "numpy<2" and "numpy>=2.1". The tables need
// not know the package for that.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "plan/question.h"

namespace culprit::plan {

// Two of question.passed_through, the earlier first; nothing if no two of them exclude each other for sure.
std::optional<std::pair<size_t, size_t>> ExcludingEachOther(const Question& question);

// "numpy<2 (requirements.txt:3)"
std::string WordsOf(const report::PassedThrough& passed);

}  // namespace culprit::plan
