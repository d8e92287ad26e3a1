// The facts of the machine that a command speaks of, live or recorded, and what check makes of them.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "cli/options.h"
#include "collect/process/process.h"
#include "loader/scenario.h"
#include "report/check.h"
#include "rules/rule.h"
#include "snapshot/snapshot.h"
#include "system/system.h"

namespace culprit::cli {

// What is looked at: a machine or a recorded snapshot, and the programs to play on it.
struct Subject {
  std::shared_ptr<const system::System> machine;  // null for a snapshot
  std::vector<std::string> programs;
  std::vector<std::string> environments;
  std::string snapshot_file;
  bool rooted = false;
  int patience = 1;       // times the usual limit
  std::string root = {};  // --root, or the target that is a whole file system
  bool wheel = false;     // one of the environments is a wheel that nobody installed
  std::shared_ptr<const collect::ProcessLook> process = {};  // --pid
};

// `targets`: programs, libraries, environments; or one root file system, wheel or snapshot.
base::Result<Subject> ChooseSubject(const Options& options, const std::vector<std::string>& targets);

// A process that runs, and the machine as it sees it.
base::Result<Subject> ProcessSubject(int64_t pid);

struct LookOptions {
  const Options& common;
  std::string host = {};    // --host
  std::string python = {};  // --python
  int seconds = 10;
  bool verify = false;
};

// The facts, and a view of the files that outlives the look with everything it refers to.
struct Facts {
  std::shared_ptr<snapshot::Snapshot> snapshot;
  std::shared_ptr<snapshot::FileView> view;
};

base::Result<Facts> LookAt(const Subject& subject, const LookOptions& options);

// What programs and frameworks load, played in a thread of its own from now on.
using Played = std::shared_future<std::vector<loader::Scenario>>;
// `before`: plays on the same files that must have ended.
Played StartPlaying(const Facts& facts, const std::vector<std::string>& programs, const Played& before = {});
// Instead what a process has loaded, and as much as belongs to it.
Played StartObserving(const Facts& facts, const record::Process& process);

// Files are still read while the loads are played and judged, so this too ends in time: then with the facts
// alone. `then` is called with the scene and the report, where somebody wants to know more of the scene.
using AfterCheck = std::function<void(const rules::Scene&, const report::CheckReport&)>;
report::CheckReport JudgeInTime(const Facts& facts, const Played& played, int seconds,
                                const AfterCheck& then = {});

}  // namespace culprit::cli
