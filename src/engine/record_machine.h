// A diagnosed machine as one file that answers the same questions elsewhere.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/diagnosis.h"
#include "snapshot/snapshot.h"

namespace culprit::engine {

// After Look(): the facts, and the files as far as `check` and the loads of `targets` ask for them, with the
// directories around them. `on_progress` is told what is being recorded; it may outlive the call. An error
// when a target cannot be loaded, or files do not answer.
base::Result<snapshot::Snapshot> RecordMachine(Diagnosis& diagnosis, std::vector<std::string> targets,
                                               std::function<void(const std::string&)> on_progress);

// After Judge(): the facts get the files that RecordMachine() would keep, so that they can be compared with
// those of another machine. What was judged stays. Nothing is done for a recorded machine, or if not all
// files answered.
base::Result<void> KeepFilesOf(Diagnosis& diagnosis);

// After Judge(): the facts, and every file that was asked for, if all of them answered.
snapshot::Snapshot RecordAsked(const Diagnosis& diagnosis);

}  // namespace culprit::engine
