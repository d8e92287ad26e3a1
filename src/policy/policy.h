// A site's own rules, as policy/file reads them: what must hold on its machines, each with its own code,
// severity, text and fix. They are evaluated here and reported like culprit's rules.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policy/condition.h"
#include "policy/facts.h"
#include "report/check.h"

namespace culprit::policy {

struct Rule {
  std::string code;    // "SITE001"
  std::string source;  // of the condition: "site.toml:3"
  std::string cause;   // slug of the closed list
  report::Severity severity = report::Severity::kError;
  std::string text;      // what is wrong where it is broken
  bool forbids = false;  // the condition must not hold; otherwise it must
  std::string wording;   // of the condition
  Condition condition;
  std::optional<Condition> when{};  // judged only where this holds
  std::string fix{};
  std::vector<std::string> commands{};
  std::string link{};
};

struct Policy {
  std::vector<Rule> rules;  // by code
};

// "SITE001": three or four digits.
bool IsSiteCode(std::string_view code);

// The result of a rule on one machine.
struct Ruling {
  const Rule* rule;
  std::optional<report::Finding> finding{};
  std::vector<report::NotChecked> lacking{};  // what would have to be known
};
std::vector<Ruling> Judge(const Policy& policy, const Facts& facts);

// For the output that lists every rule.
report::RulePage PageOf(const Rule& rule);

}  // namespace culprit::policy
