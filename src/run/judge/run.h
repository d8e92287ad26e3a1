// `culprit run`: a record, the machine's facts and what check says of both -> the report. Pure, so it is the
// same from a file elsewhere.
#pragma once

#include "report/check.h"
#include "report/run.h"
#include "rules/rule.h"
#include "snapshot/record/run.h"

namespace culprit::run {

// `scene.scenarios` holds the observed processes of the run (loader/observed.h) behind the played ones.
report::RunReport ExplainRun(const record::Run& run, const rules::Scene& scene,
                             const report::CheckReport& check);

}  // namespace culprit::run
