// Which jobs test a stack, given the facts about the machine.
#pragma once

#include <string>
#include <vector>

#include "probe/host/run.h"
#include "snapshot/file_view.h"
#include "snapshot/snapshot.h"

namespace culprit::probe {

struct Wishes {
  std::string device;              // --device: CUDA index; "" = the first one, and the basic steps on all
  std::vector<std::string> cudnn;  // --cudnn: only these files or directories; empty = every copy
  std::vector<std::string> frameworks;  // --framework
  std::string python;                   // --python
  bool compile = false;
  bool deep = false;
};

// Needs no facts, so it can start while the collectors are still running.
Job DriverJob(const Wishes& wishes);

struct Plan {
  std::vector<Job> jobs;
  std::vector<snapshot::ProbeStep>
      not_run;  // what was skipped, and why: a cuDNN for another CPU, no interpreter with torch
};
// All jobs except the driver's, which found these `devices`. `view` finds library files in the directories
// that the snapshot names.
Plan PlanJobs(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
              const std::vector<snapshot::ProbedDevice>& devices, const Wishes& wishes);

}  // namespace culprit::probe
