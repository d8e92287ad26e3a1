// A probe of the running machine from beginning to end: the driver's job starts while the files are still
// being read, everything else when their facts are known.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "probe/host/compile.h"
#include "probe/host/plan.h"
#include "probe/host/program.h"
#include "probe/host/run.h"
#include "snapshot/snapshot.h"

namespace culprit::probe {

struct LiveOptions {
  Wishes wishes;
  std::unique_ptr<Program> program;
  std::chrono::seconds step_limit{30};
  std::function<void(const std::string&)> on_progress;  // from any thread
  // Two, because compiling reads files in a thread of its own.
  std::unique_ptr<snapshot::FileView> view, compile_view;
  bool windows = false;
};

class Live {
 public:
  // Starts the driver's job.
  explicit Live(LiveOptions options);

  // Plans and starts everything else. `snapshot` must stay until Finish().
  void Continue(const snapshot::Snapshot& snapshot);
  // Waits for all jobs, and reads the versions of the files that were really loaded.
  snapshot::ProbeFacts Finish();

 private:
  void Complete(snapshot::ProbeStep& step);

  LiveOptions options_;  // owns the program, so it outlives the children
  Run run_;
  std::vector<snapshot::ProbeStep> not_run_;
  std::future<CompileResult> compiled_;  // valid with --compile
};

// The copies of cuDNN that failed. It is worth simulating how they load, even if no program uses them.
std::vector<std::string> FailedCudnn(const snapshot::ProbeFacts& facts);

}  // namespace culprit::probe
