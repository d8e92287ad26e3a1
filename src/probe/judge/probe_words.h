// What a failed step of a probe wrote is a log like any other: where its rule only says that it failed, the
// words decide the cause, as `culprit explain` would.
#pragma once

#include "report/check.h"
#include "rules/rule.h"

namespace culprit::probe {

// What was only likely and has now made a step fail is an error.
void RaiseWhatHappened(const rules::Scene& scene, report::CheckReport& report);

// Completes the findings of such rules in `report`.
void ReadWords(const rules::Scene& scene, report::CheckReport& report);

}  // namespace culprit::probe
