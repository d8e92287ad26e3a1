// Applies a site's own rules to the stacks of a fleet, each stack once. The facts are those of docs/fleet.md,
// from the brief snapshots of the nodes.
#pragma once

#include <vector>

#include "policy/policy.h"
#include "report/fleet.h"

namespace culprit::fleet {

// `left_out`: what the brief had no room for.
policy::Facts FactsOf(const std::vector<report::NodeFact>& facts, const report::LeftOut& left_out);

// Adds what the rules say of the groups: findings, unsorted, and what could not be told. Where a rule that
// would have said "error" could not look, the node is not judged.
void AddSiteRules(const policy::Policy& policy, report::FleetReport& report);

}  // namespace culprit::fleet
