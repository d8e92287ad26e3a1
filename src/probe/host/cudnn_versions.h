// Whether the cuDNN files that a job really loaded are from one release. The parts can only be asked about
// each other, and the shim answers with their version; its own version is in its file.
#pragma once

#include "snapshot/probe.h"

namespace culprit::probe {

// Call it when the versions of the files are filled in. If they differ, a `cudnn-parts` step that passed now
// fails with "mixed-versions"; the detail names the files.
void CompareCudnnVersions(snapshot::ProbeFacts& facts);

}  // namespace culprit::probe
