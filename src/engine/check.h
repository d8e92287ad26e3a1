// `culprit check`: all rules over a scene -> findings worst first, the verdict, the stack as rows, and what
// could not be checked.
#pragma once

#include "report/check.h"
#include "rules/rule.h"

namespace culprit::engine {

report::CheckReport Check(const rules::Scene& scene);

// The catalogue.
std::vector<report::RulePage> RulePages();
// nullptr-like empty code when there is no such rule.
report::RulePage PageOf(std::string_view code);

}  // namespace culprit::engine
