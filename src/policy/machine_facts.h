// A checked machine -> the facts that a site's rules ask about.
#pragma once

#include <vector>

#include "policy/facts.h"
#include "report/check.h"
#include "snapshot/snapshot.h"

namespace culprit::policy {

// `stack` tells what is loaded, if that was `played`.
Facts FactsOf(const snapshot::Snapshot& snapshot, const std::vector<report::StackRow>& stack, bool played);

}  // namespace culprit::policy
