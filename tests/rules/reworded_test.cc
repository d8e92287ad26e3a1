// Words are made for people and never read back. Every sentence of a collector, the loader models or a rule
// is replaced by other words before the next stage sees it. The findings, their subjects and severities, the
// commands and the proofs must stay the same. Each word in lower case is reversed; names, paths and numbers
// stay, as they would in any other wording.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <deque>
#include <type_traits>

#include "base/words.h"
#include "change/prove/proof.h"
#include "change/whatif/carry_out.h"
#include "engine/check.h"
#include "engine/findings.h"
#include "made_up_machine.h"
#include "report/fix.h"
#include "rule_case.h"

namespace culprit {
namespace {

using model::RuleCase;

// Upper-cases every word: no sentence stays the same, and rewording twice (a rule that quotes a fact) gives
// the same result as rewording once.
void Reword(std::string& text) {
  const auto ends_word = [&](size_t at) {
    return at >= text.size() || std::string_view(" ,;:()'\"`").contains(text[at]);
  };
  for (size_t begin = 0; begin < text.size(); ++begin) {
    if (begin > 0 && !ends_word(begin - 1)) continue;
    size_t end = begin;
    while (end < text.size() && std::islower(static_cast<unsigned char>(text[end]))) ++end;
    for (; ends_word(end) && begin < end; ++begin) text[begin] = static_cast<char>(text[begin] - 'a' + 'A');
    begin = end;
  }
}

void Reword(std::vector<std::string>& texts) {
  for (std::string& text : texts) Reword(text);
}

// Why a fact is missing, anywhere in the stack, and what could not be read in an environment.
class RewordedFacts {
 public:
  template <typename T>
  void operator()(const char*, snapshot::Fact<T>& fact) {
    Reword(fact.why);
    if (fact.value) (*this)("", *fact.value);
  }
  template <typename T>
  void operator()(const char* key, std::vector<T>& values) {
    if constexpr (std::is_same_v<T, std::string>) {
      if (std::string_view(key) == "problems") Reword(values);
    } else {
      for (T& value : values) (*this)("", value);
    }
  }
  template <typename T>
  void operator()(const char*, T& value) {
    if constexpr (requires { T::Fields(value, *this); }) T::Fields(value, *this);
  }
};

void Reword(loader::LoadGraph& graph) {
  for (std::string* text : {&graph.error, &graph.import_error}) Reword(*text);
  Reword(graph.warnings);
  Reword(graph.assumptions);
  for (loader::FailedPreload& preload : graph.failed_preloads) Reword(preload.words);
  for (loader::Request& request : graph.requests) {
    Reword(request.error);
    for (loader::Attempt& attempt : request.attempts) Reword(attempt.detail);
  }
}

void Reword(std::vector<report::NotChecked>& list) {
  for (report::NotChecked& one : list) {
    Reword(one.what);
    Reword(one.why);
  }
}

void Reword(report::Finding& finding) {
  Reword(finding.summary);
  Reword(finding.fix.text);
  for (report::Evidence& evidence : finding.evidence) Reword(evidence.fact);
}

// The rule itself, with other words.
void CheckReworded(const rules::Scene& scene, rules::Ruling& ruling) {
  rules::FindRule(ruling.rule().code)->check(scene, ruling);
  for (report::Finding& finding : ruling.findings()) Reword(finding);
  Reword(ruling.not_checked());
}

std::span<const rules::Rule* const> RewordedRules() {
  static std::deque<rules::Rule> rules;
  static std::vector<const rules::Rule*> table;
  if (table.empty()) {
    for (const rules::Rule* rule : rules::AllRules()) {
      rules.push_back(*rule);
      rules.back().check = CheckReworded;
      table.push_back(&rules.back());
    }
  }
  return table;
}

// Everything in a report except its words.
std::string Bones(const report::Finding& finding) {
  std::string bones = finding.code + " " + finding.cause + " " + std::string(Name(finding.severity)) + " " +
                      finding.subject + "\n";
  for (const std::string& affected : finding.affects) bones += "    affects " + affected + "\n";
  for (const report::Evidence& evidence : finding.evidence) bones += "    by " + evidence.source + "\n";
  for (const std::string& command : report::Texts(finding.fix.commands)) bones += "    run " + command + "\n";
  for (const report::Change& change : finding.fix.changes) bones += "    " + InWords(change) + "\n";
  return bones + "    risk " + std::string(base::Word(finding.fix.risk)) + "\n";
}

std::string Bones(const report::CheckReport& report) {
  std::string bones = std::string(Name(report.verdict)) + " " + std::to_string(report.rules_run) + "/" +
                      std::to_string(report.rules_total) + ", " + std::to_string(report.not_checked.size()) +
                      " not checked\n";
  for (const report::Finding& finding : report.findings) bones += Bones(finding);
  return bones;
}

// A machine judged twice: with culprit's words, and with others from its first fact on.
struct Judged {
  std::unique_ptr<engine::Diagnosis> diagnosis;
  report::CheckReport in_its_words;
  snapshot::Snapshot snapshot;
  std::vector<loader::Scenario> scenarios;
  report::CheckReport in_others;

  Judged(const system::System& machine, const toml::table& description)
      : diagnosis(model::Diagnose(machine, description)),
        in_its_words(diagnosis->Judge()),
        snapshot(plain().snapshot),
        scenarios(plain().scenarios.begin(), plain().scenarios.end()) {
    RewordedFacts facts;
    snapshot::Stack::Fields(snapshot.stack, facts);
    for (loader::Scenario& scenario : scenarios) Reword(scenario.graph);
    in_others = engine::Check(other(), {}, RewordedRules());
  }
  const rules::Scene& plain() const { return diagnosis->scene(); }
  rules::Scene other() const { return {snapshot, plain().view, scenarios}; }
};

TEST(Rewording, ReplacesWordsAndKeepsNames) {
  std::string text = "libcudnn.so.9 of torch (9.1.0) leads nowhere: -> /opt/x/libcudnn.so.8, CUDA 12";
  Reword(text);
  EXPECT_EQ(text, "libcudnn.so.9 OF TORCH (9.1.0) LEADS NOWHERE: -> /opt/x/libcudnn.so.8, CUDA 12");
}

// What a rule says is known by its names, never by its sentence: findings of one rule about one subject say
// the same exactly where they are worded alike.
void ExpectNamesToTellApart(const rules::Scene& scene) {
  for (const engine::Ruled& ruled : engine::AskRules(scene)) {
    for (const report::Finding& one : ruled.ruling.findings()) {
      for (const report::Finding& other : ruled.ruling.findings()) {
        if (one.subject != other.subject) continue;
        EXPECT_EQ(one.SaysTheSame(other), one.summary == other.summary)
            << one.code << ": " << one.summary << "\n"
            << other.summary;
      }
    }
  }
}

class Reworded : public testing::TestWithParam<RuleCase> {};

TEST_P(Reworded, TheDiagnosisStaysTheSame) {
  const RuleCase& one = GetParam();
  model::MadeUpMachine machine(CULPRIT_RULE_CASES);
  machine.Apply(one.description);
  const Judged before(machine.system, one.description);
  EXPECT_EQ(Bones(before.in_others), Bones(before.in_its_words));
  ExpectNamesToTellApart(before.plain());
  const auto fired = [&](const report::CheckReport& report) {
    return std::ranges::find(report.findings, one.code, &report::Finding::code);
  };
  const auto found = fired(before.in_its_words), same = fired(before.in_others);
  if (found == before.in_its_words.findings.end() || found->fix.changes.empty()) return;
  ASSERT_NE(same, before.in_others.findings.end());
  std::vector<report::Change> changes = found->fix.changes;
  toml::table description = one.description;
  if (const auto host = description["host"].value<std::string>())
    description.insert_or_assign("host", whatif::SaidHostAfter(*host, changes));
  const auto changed = whatif::CarryOut({std::shared_ptr<const void>(), &machine.system}, changes);
  if (!changed) return;
  const Judged after(**changed, description);
  EXPECT_EQ(Name(prove::Compare(before.in_others, after.in_others, *same).outcome),
            Name(prove::Compare(before.in_its_words, after.in_its_words, *found).outcome));
}

INSTANTIATE_TEST_SUITE_P(Rules, Reworded, testing::ValuesIn(model::Sampled(model::AllCases())),
                         [](const auto& one) { return model::CaseName(one.param); });

}  // namespace
}  // namespace culprit
