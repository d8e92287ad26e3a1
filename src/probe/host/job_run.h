// Runs one job, from its first child to its last, and reports the result of each step.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "probe/host/run.h"

namespace culprit::probe {

struct JobWatch {
  std::stop_token stop;
  std::function<void(StepName step)> on_begin;
  std::function<void(const snapshot::ProbeStep& step, const std::vector<snapshot::ProbedDevice>& devices)>
      on_end;
};

struct JobResult {
  std::vector<snapshot::ProbeStep> steps;  // one for each of job.steps, in that order
  std::vector<snapshot::ProbedDevice> devices;
};

// Blocks until it has ended. `program` is culprit-probe, for a job without its own program.
JobResult RunJob(const Job& job, const std::string& program, std::chrono::milliseconds step_limit,
                 const JobWatch& watch);

}  // namespace culprit::probe
