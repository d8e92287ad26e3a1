// What a snapshot and the record of a run keep of the machine that was looked at.
#pragma once

#include "collect/record.h"
#include "snapshot/snapshot.h"

namespace culprit::cli {

// The variables that matter to loading, secrets among them hidden.
void KeepRelevantEnvironment(snapshot::Snapshot& snapshot);
// The loaders and every file that was asked for so far, besides what the recorder has.
void KeepFiles(collect::Recorder& recorder, snapshot::Snapshot& snapshot);

}  // namespace culprit::cli
