#include "engine/findings.h"

#include <exception>
#include <string>

namespace culprit::engine {

std::vector<Ruled> AskRules(const rules::Scene& scene, std::span<const rules::Rule* const> asked) {
  std::vector<Ruled> all;
  for (const rules::Rule* rule : asked) {
    if (!rules::AppliesTo(*rule, scene)) continue;
    if (rule->live() && !scene.stack().probe) continue;  // nobody asked for a probe
    rules::Ruling& ruling = all.emplace_back(rule, rules::Ruling(*rule)).ruling;
    try {
      rule->check(scene, ruling);
    } catch (const std::exception& error) {
      ruling.NotEnoughFacts(std::string(rule->code), std::string("internal error: ") + error.what());
    }
  }
  return all;
}

std::vector<report::Finding> Findings(const rules::Scene& scene) {
  std::vector<report::Finding> findings;
  for (const Ruled& ruled : AskRules(scene)) {
    if (ruled.rule->severity == report::Severity::kNote) continue;
    findings.insert(findings.end(), ruled.ruling.findings().begin(), ruled.ruling.findings().end());
  }
  return findings;
}

}  // namespace culprit::engine
