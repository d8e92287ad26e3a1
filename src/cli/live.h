// --live: the probe beside the look at the files, for `probe`, `check` and `snapshot`.
#pragma once

#include <memory>

#include "base/error.h"
#include "cli/progress.h"
#include "engine/diagnosis.h"
#include "probe/host/live.h"
#include "system/system.h"

namespace culprit::cli {

// Finds culprit-probe and starts it. An error when there is none. `machine` and `progress` must outlive it.
base::Result<std::unique_ptr<probe::Live>> BeginLive(const system::System& machine, probe::Wishes wishes,
                                                     int step_seconds, Progress& progress);

// Waits for the probe and adds its results, and how each cuDNN that failed is loaded.
void AddLive(probe::Live& live, engine::Diagnosis& diagnosis);

}  // namespace culprit::cli
