// Verifies a fix: lays its changes over the machine, collects the facts again, and runs the rules.
#pragma once

#include "engine/diagnosis.h"
#include "report/check.h"
#include "report/fix.h"

namespace culprit::prove {

// `before` is what the rules said of `subject`; `finding` is one of it. A record holds facts, not files, so
// nothing is shown of one.
report::Proof Prove(engine::Subject subject, const report::CheckReport& before,
                    const report::Finding& finding);

// Fills Fix::proof of the errors and warnings of `report`, which is what the rules said of `subject`.
void ProveFixes(const engine::Subject& subject, report::CheckReport& report);

}  // namespace culprit::prove
