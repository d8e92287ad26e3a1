// What `culprit bug-report` says of a machine beside the diagnosis.
#pragma once

#include "report/bug_report.h"
#include "snapshot/snapshot.h"

namespace culprit::engine {

report::BugReport MakeBugReport(const snapshot::Snapshot& snapshot, report::CheckReport check);

}  // namespace culprit::engine
