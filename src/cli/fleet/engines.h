// The launchers through which `culprit fleet run` asks: each puts the output of the nodes into `answers`,
// with the reason if a node did not answer; the result is the reason for all other nodes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/fleet/answers.h"
#include "cli/fleet/carried.h"
#include "cli/fleet/fleet_run.h"
#include "cli/fleet/tool.h"

namespace culprit::cli {

// How many connections are open at the same time.
inline constexpr size_t kAtOnce = 64;

// Asks each node by itself, kAtOnce at a time.
void AskEach(const FleetRun& run, const std::vector<std::string>& nodes,
             const std::function<base::Result<Heard>(const std::string& node)>& ask, Answers& answers);

void AskOverSsh(const FleetRun& run, const std::vector<std::string>& nodes, const Carried& carried,
                Answers& answers);
base::Result<std::string> AskOverSlurm(const FleetRun& run, const std::vector<std::string>& nodes,
                                       const Carried& carried, Answers& answers);
// ClusterShell copies the program to the nodes, and then asks them.
base::Result<std::string> AskOverClush(const FleetRun& run, const std::vector<std::string>& nodes,
                                       const Carried& carried, Answers& answers);
// The pods of culprit's DaemonSet, which has the program. `nodes`: only these; empty = all.
base::Result<std::string> AskOverKubernetes(const FleetRun& run, const std::vector<std::string>& nodes,
                                            Answers& answers);

// The nodes that --hosts names; with ClusterShell it may be one of its groups.
base::Result<std::vector<std::string>> NamedNodes(const FleetRun& run);

}  // namespace culprit::cli
