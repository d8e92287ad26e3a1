// `culprit fleet run`: asks nodes through an existing launcher: Slurm, ClusterShell, ssh or Kubernetes. It
// sends the program along and leaves nothing on a node; for a node that does not answer it writes a file with
// the reason.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "cli/options.h"

namespace culprit::cli {

enum class FleetEngine { kSsh, kSlurm, kClush, kKubernetes };

struct FleetRun {
  const Options& common;  // `output` is the folder
  FleetEngine engine = FleetEngine::kSsh;
  std::string hosts;                    // n[001-128]; "": those that the engine chooses
  std::string name_space, selector;     // of Kubernetes: where the pods are, and their label
  std::vector<std::string> words;       // for the tool of the engine
  std::vector<std::string> ask;         // more options of `culprit snapshot --brief`
  std::vector<std::string> programs{};  // for other CPUs
  int seconds = 60;                     // for a node
  std::stop_token stop{};               // the user wants no more of it
};

// Returns the exit status: 2 if a node did not answer.
int AskFleet(const FleetRun& run);

}  // namespace culprit::cli
