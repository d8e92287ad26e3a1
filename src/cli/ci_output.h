// SARIF and JUnit of `culprit check`, for one host or several.
#pragma once

#include <string>

#include "cli/options.h"
#include "report/check.h"
#include "snapshot/snapshot.h"

namespace culprit::cli {

// Redacted, unless --no-redact was given.
report::CheckReport RedactedForCi(const Options& options, const snapshot::Snapshot& snapshot,
                                  report::CheckReport report);
// Writes the bytes, with paths as that machine spells them. That leaves the URIs of SARIF alone: none of them
// starts like a path.
bool WriteForCi(const Options& options, const snapshot::Snapshot& snapshot, const std::string& bytes);

}  // namespace culprit::cli
