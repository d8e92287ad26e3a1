// What `culprit bug-report` says of a machine beside the diagnosis.
#pragma once

#include "collect/maintainer.h"
#include "report/bug_report.h"
#include "snapshot/snapshot.h"

namespace culprit::engine {

report::BugReport MakeBugReport(const snapshot::Snapshot& snapshot, report::CheckReport check,
                                const collect::MaintainerFacts& facts);

}  // namespace culprit::engine
