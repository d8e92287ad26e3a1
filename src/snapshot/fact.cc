#include "snapshot/fact.h"

namespace culprit::snapshot {

std::string_view Name(FactState state) {
  switch (state) {
    case FactState::kValue:
      return "value";
    case FactState::kAbsent:
      return "absent";
    case FactState::kUnreadable:
      return "unreadable";
    case FactState::kNotApplicable:
      return "not-applicable";
    case FactState::kTimedOut:
      return "timed-out";
  }
  return "absent";
}

FactState FactStateFromName(std::string_view name) {
  for (const FactState state :
       {FactState::kValue, FactState::kUnreadable, FactState::kNotApplicable, FactState::kTimedOut}) {
    if (name == Name(state)) return state;
  }
  return FactState::kAbsent;
}

}  // namespace culprit::snapshot
