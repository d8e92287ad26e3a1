// Runs the probe while the files are read: for `probe`, `check --live` and `snapshot --live`.
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

// Waits for the probe and adds its results. Also simulates the load of each cuDNN that failed.
void AddLive(probe::Live& live, engine::Diagnosis& diagnosis);

}  // namespace culprit::cli
