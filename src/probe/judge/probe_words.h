// Treats the output of a failed step as a log: if its rule only says that it failed, the output decides the
// cause, as in `culprit explain`.
#pragma once

#include "report/check.h"
#include "rules/rule.h"

namespace culprit::probe {

// What was only likely and has now made a step fail is an error.
void RaiseWhatHappened(const rules::Scene& scene, report::CheckReport& report);

// Completes the findings of such rules in `report`.
void ReadWords(const rules::Scene& scene, report::CheckReport& report);

}  // namespace culprit::probe
