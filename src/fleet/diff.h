// Two states of one fleet compared, before and after an update. What is computed grows with the number of
// different pairs of stacks, not with the number of nodes.
#pragma once

#include "fleet/merge.h"
#include "report/fleet_diff.h"

namespace culprit::fleet {

report::FleetDiffReport Diff(const Merge& before, const Merge& after);

}  // namespace culprit::fleet
