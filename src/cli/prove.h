// The proof of a fix: its changes carried out in the mind, the same look at the machine as it would be, and
// what the rules say of it.
#pragma once

#include "cli/machine_facts.h"
#include "report/check.h"
#include "report/fix.h"

namespace culprit::cli {

// `before` is what check said of `subject` looked at with `options`; `finding` is one of it. A snapshot holds
// facts, not files, so nothing is shown of one.
report::Proof Prove(const Subject& subject, const LookOptions& options, const report::CheckReport& before,
                    const report::Finding& finding);

}  // namespace culprit::cli
