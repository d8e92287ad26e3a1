// The living machine beside its files: culprit-probe's jobs, from the first that needs no facts to the facts
// that all of them give. Shared by `probe`, `check --live` and `snapshot --live`.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/progress.h"
#include "collect/live_file_view.h"
#include "probe/host/compile.h"
#include "probe/host/plan.h"
#include "probe/host/program.h"
#include "probe/host/run.h"
#include "snapshot/snapshot.h"
#include "system/system.h"

namespace culprit::cli {

class Live {
 public:
  // Starts the driver's job at once, so that it runs while the machine is looked at. An error when there is
  // no culprit-probe. `machine` must outlive it.
  static base::Result<std::unique_ptr<Live>> Begin(const system::System& machine, probe::Wishes wishes,
                                                   int step_seconds, Progress& progress);

  // Plans and starts everything else. `snapshot` must stay until Finish().
  void Continue(const snapshot::Snapshot& snapshot);
  // Waits for all of it, and reads the versions of the files that were really loaded.
  snapshot::ProbeFacts Finish();

 private:
  Live(const system::System& machine, probe::Wishes wishes, std::unique_ptr<probe::Program> program,
       probe::RunOptions options);
  std::string VersionOf(const std::string& path);

  const system::System& machine_;
  collect::LiveFileView view_;  // its own: the one of the look is busy in another thread
  probe::Wishes wishes_;
  std::unique_ptr<probe::Program> program_;  // outlives the children
  probe::Run run_;
  std::vector<snapshot::ProbeStep> not_run_;
  collect::LiveFileView compile_view_;
  std::function<void(const std::string&)> on_progress_;
  std::future<probe::CompileResult> compiled_;  // beside the jobs; valid with --compile
};

// The copies of cuDNN that failed: their loads are worth playing, though no program may use them.
std::vector<std::string> FailedCudnn(const snapshot::ProbeFacts& facts);

}  // namespace culprit::cli
