#include "probe/host/plan.h"

#include <algorithm>

#include "probe/host/plan/parts.h"

namespace culprit::probe {

std::vector<std::string> Planning::Arguments(JobKind job) const {
  std::vector<std::string> arguments = {std::string(base::Word(job))};
  if (!wishes.device.empty()) arguments.insert(arguments.end(), {"--device", wishes.device});
  return arguments;
}

void Planning::NotRun(const snapshot::ProbeJob& job, StepName step, const std::string& subject,
                      const std::string& why) const {
  snapshot::ProbeStep left_out;
  left_out.job = job;
  left_out.name = step;
  left_out.subject = subject;
  left_out.outcome = StepOutcome::kNotRun;
  left_out.detail = why;
  plan.not_run.push_back(std::move(left_out));
}

std::vector<const snapshot::PythonEnvironment*> EnvironmentsInOrder(const snapshot::Snapshot& snapshot) {
  std::vector<const snapshot::PythonEnvironment*> environments;
  if (!snapshot.stack.environments) return environments;
  for (const bool found : {false, true}) {
    for (const auto& environment : *snapshot.stack.environments) {
      if ((environment.why == snapshot::EnvironmentWhy::kFound) == found)
        environments.push_back(&environment);
    }
  }
  return environments;
}

Job DriverJob(const Wishes& wishes) {
  Job job{.name = "driver", .title = "the driver", .arguments = {"driver"}};
  if (!wishes.device.empty()) job.arguments.insert(job.arguments.end(), {"--device", wishes.device});
  job.steps = {StepName::kLibcuda, StepName::kNvml,   StepName::kInit, StepName::kDevices,
               StepName::kContext, StepName::kMemory, StepName::kCopy, StepName::kKernel};
  return job;
}

Plan PlanJobs(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
              const std::vector<snapshot::ProbedDevice>& devices, const Wishes& wishes) {
  Plan plan;
  std::vector<std::string> shown;
  for (const snapshot::ProbedDevice& device : devices) {
    if (!device.cuda_index.empty() && std::ranges::find(shown, device.cuda_index) == shown.end())
      shown.push_back(device.cuda_index);
  }
  if (wishes.device.empty()) {
    for (const std::string& index : shown) {
      if (index == "0") continue;  // the driver's own job does that one
      plan.jobs.push_back(
          {.name = {"driver", "device " + index},
           .title = "device " + index,
           .subject = "device " + index,
           .arguments = {"driver", "--device", index},
           .steps = {StepName::kContext, StepName::kMemory, StepName::kCopy, StepName::kKernel}});
    }
    if (shown.size() > 1) {
      plan.jobs.push_back({.name = {"driver", "peer"},
                           .title = "two devices",
                           .arguments = {"driver"},
                           .steps = {StepName::kPeer}});
    }
  }
  const Planning planning{snapshot, view, wishes, !shown.empty(), plan};
  PlanRuntime(planning);
  PlanCudnn(planning);
  PlanFrameworks(planning);
  return plan;
}

}  // namespace culprit::probe
