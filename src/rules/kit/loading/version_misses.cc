#include "rules/kit/loading/version_misses.h"

namespace culprit::rules {

std::vector<VersionMiss> VersionMisses(const Scene& scene) {
  std::vector<VersionMiss> misses;
  for (const loader::Scenario& scenario : scene.scenarios) {
    for (const loader::MissingVersion& missing : scenario.graph.missing_versions)
      misses.push_back({missing, &scenario, missing.Line()});
    for (const loader::Request& request : scenario.graph.requests) {
      if (!request.missing_version || request.alternative) continue;  // optional or not: the file is there
      misses.push_back({*request.missing_version, &scenario, request.error});
    }
  }
  return misses;
}

}  // namespace culprit::rules
