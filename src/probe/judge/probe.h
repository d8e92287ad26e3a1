// `culprit probe`: the steps of a snapshot, each failure with the finding that explains it.
#pragma once

#include "report/probe.h"
#include "rules/rule.h"

namespace culprit::probe {

// `check` is what the rules say of the same scene, the probe's facts included.
report::ProbeReport Probe(const rules::Scene& scene, const report::CheckReport& check);

}  // namespace culprit::probe
