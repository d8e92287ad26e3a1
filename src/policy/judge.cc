// Facts -> the result of each rule. Writes the text of the findings.
#include <algorithm>
#include <set>
#include <utility>

#include "policy/evaluate.h"
#include "policy/policy.h"

namespace culprit::policy {
namespace {

constexpr size_t kMostEvidence = 20;

std::string Named(const Selector& selector) {
  const KindInfo& info = InfoOf(selector.kind);
  std::string words = selector.kind == Kind::kLoaded ? "" : std::string(info.title);
  if (info.named) words += (words.empty() ? "" : " ") + selector.name;
  if (selector.place != "*") words += " in " + selector.place;
  return words;
}

std::string InWords(const Ground& ground) {
  if (ground.there != nullptr) return InWords(*ground.there);
  if (ground.selector.kind == Kind::kVariable) return ground.selector.name + " is not set";
  return "no " + Named(ground.selector) + (ground.selector.kind == Kind::kLoaded ? " is loaded" : "");
}

// What a finding is about: a directory, a variable, or the fact by its name.
std::string SubjectOf(const Ground& ground) {
  const Kind kind = ground.selector.kind;
  if (kind == Kind::kVariable) return ground.there != nullptr ? ground.there->name : ground.selector.name;
  if (ground.there == nullptr) return Named(ground.selector);
  const Fact& fact = *ground.there;
  if (!fact.where.empty()) return fact.where;
  return std::string(InfoOf(kind).title) + (fact.name.empty() ? "" : " " + fact.name);
}

std::string Required(const Rule& rule) {
  return std::string(rule.forbids ? "the site forbids " : "the site requires ") + rule.wording;
}

report::Finding Broken(const Rule& rule, const std::vector<Ground>& grounds) {
  report::Finding finding{.code = rule.code,
                          .cause = rule.cause,
                          .family = report::Family::kSite,
                          .severity = rule.severity,
                          .summary = rule.text};
  std::set<std::string> said;
  size_t more = 0;
  for (const Ground& ground : grounds) {
    std::string words = InWords(ground);
    if (!said.insert(words).second) continue;
    if (said.size() > kMostEvidence) {
      ++more;
      continue;
    }
    if (said.size() == 1) {
      finding.summary += ": " + words;
      finding.subject = SubjectOf(ground);
    }
    const bool sourced = ground.there != nullptr && !ground.there->source.empty();
    finding.evidence.push_back(
        {std::move(words), sourced ? ground.there->source : "the facts of this machine"});
  }
  if (said.size() > 1) finding.summary += " and " + std::to_string(said.size() - 1) + " more";
  if (more > 0)
    finding.evidence.push_back({std::to_string(more) + " more of them", "the facts of this machine"});
  finding.evidence.push_back({Required(rule), rule.source});
  finding.fix.text = rule.fix;
  for (const std::string& command : rule.commands) finding.fix.commands.push_back(report::FromTable(command));
  if (!rule.link.empty()) finding.links.push_back(rule.link);
  return finding;
}

Ruling JudgeOne(const Rule& rule, const Facts& facts) {
  Held broken = Evaluate(rule.condition, facts);
  if (!rule.forbids) broken = Not(std::move(broken));
  const std::vector<Ground> grounds = broken.grounds;  // of the condition itself, not of `when`
  if (rule.when) broken = Both(Evaluate(*rule.when, facts), std::move(broken));
  Ruling ruling{.rule = &rule};
  if (broken.holds.value_or(false)) ruling.finding = Broken(rule, grounds);
  for (const Missing& missing : broken.missing)
    ruling.lacking.push_back(
        {rule.code + ": " + Named(missing.selector), missing.unknown.why, missing.unknown.of_host});
  return ruling;
}

}  // namespace

bool IsSiteCode(std::string_view code) {
  const std::string_view digits = code.substr(std::min<size_t>(code.size(), 4));
  return code.starts_with("SITE") && (digits.size() == 3 || digits.size() == 4) &&
         digits.find_first_not_of("0123456789") == std::string_view::npos;
}

std::vector<Ruling> Judge(const Policy& policy, const Facts& facts) {
  std::vector<Ruling> rulings;
  for (const Rule& rule : policy.rules) rulings.push_back(JudgeOne(rule, facts));
  return rulings;
}

report::RulePage PageOf(const Rule& rule) {
  return {.code = rule.code,
          .name = "site_rule",
          .cause = rule.cause,
          .severity = std::string(Name(rule.severity)),
          .since = "",
          .title = rule.text,
          .page = "",
          .family = report::Family::kSite};
}

}  // namespace culprit::policy
