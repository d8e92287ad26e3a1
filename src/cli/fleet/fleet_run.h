// `culprit fleet run`: asks nodes through an engine that is there already, Slurm or ssh. The program is
// carried along, nothing stays on a node, and a node that does not answer is a file that says why.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"

namespace culprit::cli {

struct FleetRun {
  const Options& common;  // `output` is the folder
  bool slurm = false;
  std::string hosts;               // n[001-128]; with Slurm: those of --nodelist or of the allocation
  std::vector<std::string> words;  // for srun or ssh
  std::vector<std::string> ask;    // more options of `culprit snapshot --brief`
  int seconds = 60;                // for a node
};

// Returns the exit status: 2 if a node did not answer.
int AskFleet(const FleetRun& run);

}  // namespace culprit::cli
