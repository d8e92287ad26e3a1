#include "rules/kit/loading/version_misses.h"

#include <optional>

namespace culprit::rules {
namespace {

// "FILE: version `V' not found (required by ASKER)"
std::optional<VersionMiss> Parse(const loader::Scenario& scenario, const std::string& words) {
  constexpr std::string_view kVersion = ": version `", kNotFound = "' not found (required by ";
  const size_t version = words.find(kVersion);
  const size_t not_found = words.find(kNotFound);
  if (version == std::string::npos || not_found == std::string::npos || not_found < version)
    return std::nullopt;
  VersionMiss miss{.scenario = &scenario, .file = words.substr(0, version), .words = words};
  miss.version = words.substr(version + kVersion.size(), not_found - version - kVersion.size());
  miss.asker = words.substr(not_found + kNotFound.size());
  if (miss.asker.ends_with(')')) miss.asker.pop_back();
  return miss;
}

}  // namespace

std::vector<VersionMiss> VersionMisses(const Scene& scene) {
  std::vector<VersionMiss> misses;
  for (const loader::Scenario& scenario : scene.scenarios) {
    for (const std::string& words : scenario.graph.version_errors) {
      if (auto miss = Parse(scenario, words)) misses.push_back(std::move(*miss));
    }
    for (const loader::Request& request : scenario.graph.requests) {
      if (request.error.empty() || request.alternative) continue;  // optional or not: the file is there
      if (auto miss = Parse(scenario, request.error)) misses.push_back(std::move(*miss));
    }
  }
  return misses;
}

}  // namespace culprit::rules
