// A load that was seen instead of played: what a process has mapped, as the same graph that a model makes, so
// that the same rules judge it.
#pragma once

#include <string>

#include "loader/scenario.h"
#include "record/run.h"

namespace culprit::loader {

// Of a process that a run watched (its requests are known), or that runs already (only its files are).
Scenario Observed(const record::Process& process, const snapshot::Snapshot& snapshot,
                  snapshot::FileView& view);

}  // namespace culprit::loader
