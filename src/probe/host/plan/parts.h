// The parts of PlanJobs, by kind of job. Each adds to the plan.
#pragma once

#include "probe/host/plan.h"

namespace culprit::probe {

struct Planning {
  const snapshot::Snapshot& snapshot;
  snapshot::FileView& view;
  const Wishes& wishes;
  bool has_device;  // CUDA sees at least one
  Plan& plan;

  // {"cudnn", "--device", "1"}
  std::vector<std::string> Arguments(JobKind job) const;
  void NotRun(const snapshot::ProbeJob& job, StepName step, const std::string& subject,
              const std::string& why) const;
};

// The active environment first.
std::vector<const snapshot::PythonEnvironment*> EnvironmentsInOrder(const snapshot::Snapshot& snapshot);

void PlanRuntime(const Planning& planning);
void PlanCudnn(const Planning& planning);
void PlanFrameworks(const Planning& planning);

}  // namespace culprit::probe
