// Markdown to paste into an issue: without the home directory and the name of the user, unless they want it.
#pragma once

#include <string>

#include "cli/options.h"
#include "report/check.h"
#include "snapshot/snapshot.h"

namespace culprit::cli {

// `snapshot`: of the machine that `markdown` is about. False when it could not be written.
bool WriteToPaste(const Options& options, std::string markdown, const snapshot::Snapshot& snapshot,
                  bool redact);
// The same for forms in which paths are not written as they are.
report::CheckReport ToPaste(report::CheckReport report, const snapshot::Snapshot& snapshot);

}  // namespace culprit::cli
