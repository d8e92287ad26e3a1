// Runs jobs, each in its own child and watched by its own thread. A job that dies in one step is started
// again for the later steps that do not need it. Crash, hang, silence and garbage are results like any other.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "probe/host/steps.h"
#include "snapshot/probe.h"

namespace culprit::probe {

struct Job {
  snapshot::ProbeJob name;             // "cudnn /usr/lib/x86_64-linux-gnu"
  std::string title;                   // for a person: "cuDNN 9.19.0"; "" = name
  std::string subject;                 // of steps that never began
  std::string program;                 // absolute path; "" = culprit-probe
  std::vector<std::string> arguments;  // `--only STEP` is added for each of `steps`
  std::vector<StepName> steps;         // expected, in order
  int patience = 1;                    // times step_limit: importing a framework takes its time
};

struct RunOptions {
  std::string program;  // culprit-probe
  std::chrono::milliseconds step_limit{30'000};
  size_t side_by_side = 4;                              // children at a time
  std::function<void(const std::string&)> on_progress;  // "cuDNN 9.19.0: a convolution"; from any thread
};

class Run {
 public:
  explicit Run(RunOptions options);
  ~Run();  // ends all children
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Starts the job now, or when another one has ended.
  void Start(Job job);
  // How many may run at once from now on: one, if the device allows only one process or has little memory.
  void Limit(size_t side_by_side);
  // Blocks until the "devices" step has ended or can no longer run.
  std::vector<snapshot::ProbedDevice> WaitForDevices();
  // Blocks until all have ended.
  snapshot::ProbeFacts Wait();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace culprit::probe
