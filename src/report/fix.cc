#include "report/fix.h"

namespace culprit::report {

std::string_view Name(Proof::Outcome outcome) {
  switch (outcome) {
    case Proof::Outcome::kShown:
      return "shown";
    case Proof::Outcome::kNotGone:
      return "not-gone";
    case Proof::Outcome::kBringsNew:
      return "brings-new";
    case Proof::Outcome::kNotShown:
      return "not-shown";
  }
  return "not-shown";
}

}  // namespace culprit::report
