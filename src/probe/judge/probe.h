// `culprit probe`: the steps of a snapshot, each failure with the finding that explains it.
#pragma once

#include "report/probe.h"
#include "rules/rule.h"

namespace culprit::probe {

// `check` is the rules' result on the same scene, including the probe's facts.
report::ProbeReport Probe(const rules::Scene& scene, const report::CheckReport& check);

}  // namespace culprit::probe
