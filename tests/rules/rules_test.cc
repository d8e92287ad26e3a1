// The rules on made-up machines. tests/rules/CODE.toml has the cases of one rule: where it fires and where it
// stays silent. tests/rules/worlds/*.toml are the machines that they start from; each must be as healthy as
// it says. A rule without a firing and a silent case, or without a complete page, fails here.
#include <gtest/gtest.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "change/prove/proof.h"
#include "change/whatif/carry_out.h"
#include "made_up_machine.h"
#include "report/fix.h"
#include "rule_case.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;
using report::Finding;
using report::Severity;

report::CheckReport CheckSystem(const system::System& machine, const toml::table& description) {
  return model::Diagnose(machine, description)->Judge();
}

report::CheckReport CheckMachine(const toml::table& description) {
  model::MadeUpMachine machine(CULPRIT_RULE_CASES);
  machine.Apply(description);
  return CheckSystem(machine.system, description);
}

std::string Told(const report::CheckReport& report) {
  std::string text;
  for (const Finding& finding : report.findings) {
    text += "  " + std::string(Name(finding.severity)) + " " + finding.code + " " + finding.summary + "\n";
    for (const auto& evidence : finding.evidence)
      text += "      " + evidence.fact + " [" + evidence.source + "]\n";
  }
  for (const auto& missing : report.not_checked)
    text += "  not checked: " + missing.what + ": " + missing.why + "\n";
  return text.empty() ? "  (nothing)\n" : text;
}

std::set<std::string> Alarms(const report::CheckReport& report) {
  std::set<std::string> codes;
  for (const Finding& finding : report.findings) {
    if (finding.severity != Severity::kNote) codes.insert(finding.code);
  }
  return codes;
}

// ---- worlds
// ------------------------------------------------------------------------------------------------

class World : public testing::TestWithParam<fs::path> {};

TEST_P(World, HasOnlyTheFaultsThatItAdmits) {
  const toml::table world = toml::parse_file(GetParam().string());
  toml::table description = world;
  for (const std::string_view key : model::MadeUpMachine::Keys()) description.erase(key);
  description.insert_or_assign("world", GetParam().stem().string());
  const auto report = CheckMachine(description);
  const std::vector<std::string> admitted = model::Strings(world, "expect");
  EXPECT_EQ(Alarms(report), std::set<std::string>(admitted.begin(), admitted.end())) << Told(report);
}

std::string FileName(const testing::TestParamInfo<fs::path>& info) {
  std::string name = info.param.stem().string();
  std::ranges::replace_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Rules, World,
                         testing::ValuesIn(model::TomlFiles(fs::path(CULPRIT_RULE_CASES) / "worlds")),
                         FileName);

// ---- cases
// -------------------------------------------------------------------------------------------------

// The keys of a table that nothing reads: a key with a typo would test nothing.
std::set<std::string> UnknownKeys(const toml::table& table, const std::set<std::string_view>& known) {
  std::set<std::string> unknown;
  for (const auto& [key, unused] : table) {
    if (!known.contains(key.str())) unknown.emplace(key.str());
  }
  return unknown;
}

// `own`, and the keys that describe a machine and how it is examined.
std::set<std::string_view> KnownKeys(std::set<std::string_view> own) {
  own.insert(model::MadeUpMachine::Keys().begin(), model::MadeUpMachine::Keys().end());
  own.insert({"targets", "builds", "recipes", "environments", "python", "verify", "root", "image", "process",
              "host", "step", "device"});
  return own;
}

std::set<std::string_view> CaseKeys() {
  return KnownKeys(
      {"name", "fires", "only", "not_checked", "summary", "subject", "severity", "cause", "fix", "unproven"});
}

TEST(Cases, HaveOnlyKeysThatAreRead) {
  using Keys = std::set<std::string>;
  for (const fs::path& file : model::TomlFiles(CULPRIT_RULE_CASES))
    EXPECT_EQ(UnknownKeys(toml::parse_file(file.string()), {"case", "unproven"}), Keys{}) << file;
  for (const model::RuleCase& one : model::AllCases())
    EXPECT_EQ(UnknownKeys(one.description, CaseKeys()), Keys{}) << one.code << ": " << one.name;
  for (const fs::path& file : model::TomlFiles(fs::path(CULPRIT_RULE_CASES) / "worlds"))
    EXPECT_EQ(UnknownKeys(toml::parse_file(file.string()), KnownKeys({"expect"})), Keys{}) << file;
  EXPECT_EQ(UnknownKeys(toml::parse("fires = true\nsumary = 'x'"), CaseKeys()), Keys{"sumary"});
}

// Each case is checked once, whichever test comes first.
const report::CheckReport& ReportOf(const model::RuleCase& one, const system::System& machine) {
  static std::map<std::pair<std::string, std::string>, report::CheckReport> known;
  const std::pair key(one.code, one.name);
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  return known.emplace(key, CheckSystem(machine, one.description)).first->second;
}

class RuleCase : public testing::TestWithParam<model::RuleCase> {};

TEST_P(RuleCase, FiresOrStaysSilent) {
  const model::RuleCase& one = GetParam();
  const auto fires = one.description["fires"].value<bool>();
  ASSERT_TRUE(fires) << "a case says fires = true or false";
  model::MadeUpMachine machine(CULPRIT_RULE_CASES);
  machine.Apply(one.description);
  const auto& report = ReportOf(one, machine.system);
  const auto found =
      std::ranges::find_if(report.findings, [&](const Finding& finding) { return finding.code == one.code; });
  ASSERT_EQ(found != report.findings.end(), *fires) << Told(report);
  if (one.description.contains("only")) {
    const std::vector<std::string> codes = model::Strings(one.description, "only");
    EXPECT_EQ(Alarms(report), std::set<std::string>(codes.begin(), codes.end())) << Told(report);
  }
  if (const auto missing = one.description["not_checked"].value<std::string>()) {
    EXPECT_TRUE(std::ranges::any_of(report.not_checked, [&](const auto& item) {
      return (item.what + ": " + item.why).find(*missing) != std::string::npos;
    })) << Told(report);
  }
  if (!*fires) return;
  const auto commands = report::Texts(found->fix.commands);
  for (const auto& [key, text] : {std::pair{"summary", found->summary},
                                  {"fix", commands.empty() ? found->fix.text : commands.front()},
                                  {"subject", found->subject},
                                  {"severity", std::string(Name(found->severity))},
                                  {"cause", found->cause}}) {
    RecordProperty(key, text);  // tests/rules/update reads summary and fix
    const toml::node* wanted = one.description.get(key);
    const bool required = CULPRIT_STRICT_CASES && (key == "summary"sv || key == "fix"sv);
    EXPECT_TRUE(wanted != nullptr || !required)
        << "the case says no " << key << "; tests/rules/update writes it";
    if (wanted != nullptr) {
      EXPECT_EQ(text, wanted->value<std::string>()) << key << " (tests/rules/update writes what is said now)";
    }
  }
  // Requirements for every finding.
  EXPECT_FALSE(found->summary.empty() || found->summary.ends_with('.')) << found->summary;
  EXPECT_FALSE(found->subject.empty());
  EXPECT_FALSE(found->evidence.empty());
  for (const auto& evidence : found->evidence)
    EXPECT_FALSE(evidence.fact.empty() || evidence.source.empty()) << evidence.fact;
  EXPECT_FALSE(found->fix.text.empty() && found->severity != Severity::kNote);
}

std::string CaseName(const testing::TestParamInfo<model::RuleCase>& info) {
  return model::CaseName(info.param);
}

INSTANTIATE_TEST_SUITE_P(Rules, RuleCase, testing::ValuesIn(model::AllCases()), CaseName);

// ---- proofs
// ------------------------------------------------------------------------------------------------
//
// Where a rule fires, its fix is applied in memory and the rules run again: the finding must be gone, with no
// new one. If that cannot be shown, the case says why: unproven = "..." in the case, or at the top of the
// file for all its cases.

std::vector<model::RuleCase> FiringCases() {
  std::vector<model::RuleCase> cases = model::AllCases();
  std::erase_if(cases, [](const model::RuleCase& one) { return !one.description["fires"].value_or(false); });
  return model::Sampled(std::move(cases));
}

class Proof : public testing::TestWithParam<model::RuleCase> {};

TEST_P(Proof, TheFixMendsItAndBreaksNothing) {
  const model::RuleCase& one = GetParam();
  model::MadeUpMachine machine(CULPRIT_RULE_CASES);
  machine.Apply(one.description);
  const auto& before = ReportOf(one, machine.system);
  const auto found =
      std::ranges::find_if(before.findings, [&](const Finding& finding) { return finding.code == one.code; });
  ASSERT_NE(found, before.findings.end());
  if (found->fix.text.empty()) return;
  const auto unproven = one.description["unproven"].value<std::string>();
  std::string carried_out;
  for (const report::Change& change : found->fix.changes) carried_out += "  " + InWords(change) + "\n";
  if (carried_out.empty()) {
    EXPECT_TRUE(unproven && !unproven->empty())
        << "the fix of " << one.code << " says no changes, and the case not why (unproven)";
    return;
  }
  report::Proof proof;
  std::string then = "  (no such machine)\n";
  std::vector<report::Change> changes = found->fix.changes;
  toml::table description = one.description;
  if (const auto host = description["host"].value<std::string>())
    description.insert_or_assign("host", whatif::SaidHostAfter(*host, changes));
  const auto changed = whatif::CarryOut({std::shared_ptr<const void>(), &machine.system}, changes);
  if (changed) {
    const auto after = CheckSystem(**changed, description);
    proof = prove::Compare(before, after, *found);
    then = Told(after);
  } else {
    proof.why = changed.error().message;
  }
  EXPECT_EQ(proof.outcome != report::Proof::Outcome::kShown, unproven.has_value())
      << Name(proof.outcome) << ": " << proof.why << "\nthe fix: " << found->fix.text << "\n"
      << carried_out << "before:\n"
      << Told(before) << "afterwards:\n"
      << then;
}

INSTANTIATE_TEST_SUITE_P(Rules, Proof, testing::ValuesIn(FiringCases()), CaseName);

// ---- catalogue
// ---------------------------------------------------------------------------------------------

TEST(Catalogue, EveryRuleHasACaseWhereItFiresAndOneWhereItStaysSilent) {
  std::map<std::string, std::set<bool>> kinds;
  for (const model::RuleCase& one : model::AllCases())
    kinds[one.code].insert(one.description["fires"].value_or(false));
  for (const rules::Rule* rule : rules::AllRules()) {
    EXPECT_EQ(kinds[std::string(rule->code)].size(), 2u) << rule->code << " " << rule->name;
  }
  for (const auto& [code, unused] : kinds) EXPECT_NE(rules::FindRule(code), nullptr) << code << " is no rule";
}

TEST(Catalogue, EveryRuleHasACompletePage) {
  for (const rules::Rule* rule : rules::AllRules()) {
    size_t at = 0;
    for (const char* heading : {"## What it means", "## Why it breaks", "## How culprit knows", "## Fix",
                                "## When this is not your problem", "## Sources"}) {
      const size_t found = rule->page.find(heading, at);
      EXPECT_NE(found, std::string_view::npos) << rule->code << " lacks " << heading << " (in this order)";
      if (found != std::string_view::npos) at = found + 1;
    }
    EXPECT_EQ(rule->page.find("\n\n\n"), std::string_view::npos) << rule->code;
  }
}

TEST(Catalogue, CodesAreUniqueOrderedAndNamedAfterKnownCauses) {
  static const std::set<std::string_view> causes = {"driver-missing",
                                                    "driver-not-loaded",
                                                    "driver-library-mismatch",
                                                    "driver-too-old",
                                                    "gpu-not-visible",
                                                    "container-runtime",
                                                    "wsl",
                                                    "driver-wedged",
                                                    "hardware-fault",
                                                    "toolkit-missing",
                                                    "cuda-library-missing",
                                                    "cudnn-missing",
                                                    "cudnn-sublibrary-missing",
                                                    "search-path",
                                                    "dependent-missing",
                                                    "cudnn-version-mismatch",
                                                    "cudnn-mixed-versions",
                                                    "cuda-version-mismatch",
                                                    "cuda-mixed-versions",
                                                    "framework-cpu-only",
                                                    "framework-version-conflict",
                                                    "arch-unsupported",
                                                    "arch-unsupported-by-compiler",
                                                    "bitness-mismatch",
                                                    "corrupt-library",
                                                    "broken-symlink",
                                                    "out-of-memory",
                                                    "host-resources",
                                                    "communication",
                                                    "host-compiler",
                                                    "header-library-mismatch",
                                                    "build-config",
                                                    "glibc-too-old",
                                                    "permissions",
                                                    "application-bug",
                                                    "library-bug"};
  std::set<std::string> sources;
  for (const auto& entry : fs::recursive_directory_iterator(CULPRIT_RULE_SOURCES))
    sources.insert(entry.path().filename().string());
  std::string_view last;
  std::set<std::string_view> names;
  for (const rules::Rule* rule : rules::AllRules()) {
    EXPECT_EQ(rule->code.size(), 7u) << rule->code;
    EXPECT_TRUE(rule->code.starts_with("CUL"));
    EXPECT_LT(last, rule->code);
    last = rule->code;
    EXPECT_TRUE(names.insert(rule->name).second) << rule->name;
    EXPECT_TRUE(causes.contains(rule->cause)) << rule->code << " " << rule->cause;
    EXPECT_FALSE(rule->title.empty() || rule->since.empty()) << rule->code;
    EXPECT_TRUE(sources.contains(std::string(rule->name) + ".cc")) << rule->name;
  }
}

}  // namespace
}  // namespace culprit
