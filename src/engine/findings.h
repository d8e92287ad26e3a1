// The rules over a scene and nothing else: without the verdict, the rows and the words of a probe that
// check.h adds, whose readers of logs libculprit does not want.
#pragma once

#include <span>
#include <vector>

#include "report/finding.h"
#include "rules/rule.h"

namespace culprit::engine {

struct Ruled {
  const rules::Rule* rule;
  rules::Ruling ruling;
};

// What every rule says that has something to say of this scene, by code. A bug in a rule is told as a fact
// that it lacks, and is not the end of the others.
std::vector<Ruled> AskRules(const rules::Scene& scene,
                            std::span<const rules::Rule* const> asked = rules::AllRules());

// All findings but notes.
std::vector<report::Finding> Findings(const rules::Scene& scene);

}  // namespace culprit::engine
