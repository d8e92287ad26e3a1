// Which jobs prove a stack: from the facts of the machine.
#pragma once

#include <string>
#include <vector>

#include "probe/host/run.h"
#include "snapshot/file_view.h"
#include "snapshot/snapshot.h"

namespace culprit::probe {

struct Wishes {
  std::string device;  // --device: CUDA's index; "" = the first, and the basics on all
  std::vector<std::string>
      cudnn;  // --cudnn: only these files or directories; empty: every copy that was found
  std::vector<std::string> frameworks;  // --framework
  std::string python;                   // --python
  bool compile = false;
  bool deep = false;
};

// Needs no facts, so it may start while the machine is still looked at.
Job DriverJob(const Wishes& wishes);

struct Plan {
  std::vector<Job> jobs;
  std::vector<snapshot::ProbeStep>
      not_run;  // what was left out, and why: a cuDNN for another CPU, no interpreter with torch
};
// All but the driver's. `devices`: what it told; `view` finds the files of libraries in the directories that
// the snapshot names.
Plan PlanJobs(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
              const std::vector<snapshot::ProbedDevice>& devices, const Wishes& wishes);

}  // namespace culprit::probe
