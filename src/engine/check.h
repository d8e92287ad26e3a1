// `culprit check`: all rules over a scene -> findings worst first, the verdict, the stack as rows, and what
// could not be checked.
#pragma once

#include <span>
#include <string>

#include "policy/policy.h"
#include "report/check.h"
#include "rules/rule.h"

namespace culprit::engine {

// `policy`: the site's own rules; nullptr if it has none.
report::CheckReport Check(const rules::Scene& scene, std::vector<report::Ignored> ignored = {},
                          std::span<const rules::Rule* const> asked = rules::AllRules(),
                          const policy::Policy* policy = nullptr);
// Of a machine whose files gave no answer in time, as `why` says: the scene has its facts and no file.
report::CheckReport CheckFactsAlone(const rules::Scene& scene, std::vector<report::Ignored> ignored,
                                    const std::string& why, const policy::Policy* policy);

// The catalogue, and after it the rules of a site.
std::vector<report::RulePage> RulePages(const policy::Policy* policy = nullptr);
// nullptr-like empty code when there is no such rule.
report::RulePage PageOf(std::string_view code);

}  // namespace culprit::engine
