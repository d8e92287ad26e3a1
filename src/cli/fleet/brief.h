// `culprit snapshot --brief`: this machine as one node of a fleet.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"
#include "cli/subject.h"

namespace culprit::cli {

std::string TimeNow();  // "2026-11-18T11:04:07Z"
// As Slurm calls the node, or the machine itself; "" if it does not say.
std::string NodeName(const Options& options, const system::System& machine);

struct BriefWishes {
  std::string node;     // "" = the name of this machine
  bool pieces = false;  // in short lines, for engines that mix the output of nodes
  bool remove_self = false;
};

// A line before the brief of a program that an engine has copied to a node, with the name of the node in
// Slurm.
inline constexpr std::string_view kStarted = "culprit-started ";

// The program was copied to this node for one answer: reports that it started, and removes its file, so that
// nothing stays whatever happens. Slurm may use another name for the node than its host name.
void BeginCarried(BriefWishes& wishes);

// Options that each node of a fleet would get for `culprit snapshot --brief`. The exit status to end with if
// they are wrong, or on --help. `in_pods`: Kubernetes passes them on.
std::optional<int> WrongForNodes(const std::vector<std::string>& words, bool in_pods);

// Checks the collected facts, and writes the result as one line. Returns the exit status.
int WriteBrief(const Options& options, engine::Diagnosis& diagnosis, const BriefWishes& wishes);

}  // namespace culprit::cli
