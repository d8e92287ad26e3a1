// Whether a change mends a finding: what the rules say of the machine as it is, held against what they say of
// it as it would be.
#pragma once

#include "report/check.h"
#include "report/fix.h"

namespace culprit::prove {

// Shown: no finding of that code about that subject is left, no error or warning is there that was not there
// before, and no rule that could judge before has become blind.
report::Proof Compare(const report::CheckReport& before, const report::CheckReport& after,
                      const report::Finding& finding);

}  // namespace culprit::prove
