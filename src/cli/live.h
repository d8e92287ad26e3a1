// The living machine beside its files: culprit-probe's jobs, from the first that needs no facts to the facts
// that all of them give. Shared by `probe`, `check --live` and `snapshot --live`.
#pragma once

#include <memory>
#include <string>

#include "base/error.h"
#include "cli/progress.h"
#include "probe/plan.h"
#include "probe/run.h"
#include "snapshot/snapshot.h"
#include "system/system.h"

namespace culprit::cli {

class Live {
 public:
  // Starts the driver's job at once, so that it runs while the machine is looked at. An error when there is
  // no culprit-probe.
  static base::Result<std::unique_ptr<Live>> Begin(probe::Wishes wishes, int step_seconds,
                                                   Progress& progress);

  // Plans and starts everything else.
  void Continue(const snapshot::Snapshot& snapshot);
  // Waits for all of it. The versions of the files that were really loaded are read from them on `machine`.
  snapshot::ProbeFacts Finish(const system::System& machine);

 private:
  Live(probe::Wishes wishes, probe::RunOptions options);

  probe::Wishes wishes_;
  probe::Run run_;
  std::vector<snapshot::ProbeStep> not_run_;
};

}  // namespace culprit::cli
