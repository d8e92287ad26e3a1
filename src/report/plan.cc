#include "report/plan.h"

namespace culprit::report {

std::string_view Name(Plan::Outcome outcome) {
  return outcome == Plan::Outcome::kSolution ? "solution" : "unsolvable";
}

}  // namespace culprit::report
