// Whether the files of cuDNN that a job really loaded are of one release. The parts can only be asked about
// each other, and the shell in front of them answers with their version; its own stands in its file.
#pragma once

#include "snapshot/probe.h"

namespace culprit::probe {

// To be called when the versions of the files are filled in. A step `cudnn-parts` that was content fails with
// "mixed-versions" when they differ; the detail names the files.
void CompareCudnnVersions(snapshot::ProbeFacts& facts);

}  // namespace culprit::probe
