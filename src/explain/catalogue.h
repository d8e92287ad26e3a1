// The causes, and the messages that lead to them, from the tables.
#pragma once

#include <vector>

#include "report/catalogue.h"

namespace culprit::explain {

std::vector<report::CausePage> CausePages();
// An example of every pattern that tells a cause. Each is explained as a log would be, so that the answer is
// the one that `culprit explain` gives.
std::vector<report::KnownMessage> KnownMessages();

}  // namespace culprit::explain
