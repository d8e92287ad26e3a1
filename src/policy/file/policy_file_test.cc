// The file of --policy: what is read, and the one line for each mistake.
#include "policy/file/policy_file.h"

#include <gtest/gtest.h>

namespace culprit::policy {
namespace {

std::string Mistake(const std::string& text) {
  const auto policy = ParsePolicy(text, "site.toml");
  return policy ? "read" : policy.error().message;
}

// A rule with one line changed or added.
std::string WithLine(const std::string& line) {
  const std::string key = line.substr(0, line.find(' '));
  std::string text = "[[rule]]\n";
  for (const std::string given :
       {"code = \"SITE001\"", "cause = \"driver-too-old\"", "text = \"t\"", "require = 'driver >= 550.54'"})
    if (!given.starts_with(key + " ")) text += given + "\n";
  return text + line + "\n";
}

TEST(PolicyFile, ReadsRulesByCode) {
  const auto policy = ParsePolicy(
      "[[rule]]\ncode = \"SITE0002\"\ncause = \"search-path\"\ntext = \"no\"\nforbid = 'variable "
      "LD_LIBRARY_PATH'\n"
      "severity = \"warning\"\nfix = \"unset it\"\ncommands = [\"unset LD_LIBRARY_PATH\"]\n"
      "link = \"https://wiki.example.org/x\"\nwhen = 'driver'\n"
      "[[rule]]\ncode = \"SITE001\"\ncause = \"driver-too-old\"\ntext = \"t\"\nrequire = '''\ndriver >= "
      "550.54\n  and driver < 600'''\n",
      "site.toml");
  ASSERT_TRUE(policy) << policy.error().message;
  ASSERT_EQ(policy->rules.size(), 2u);
  const Rule& last = policy->rules[0];
  EXPECT_EQ(last.code, "SITE0002");
  EXPECT_EQ(last.source, "site.toml:5");
  EXPECT_TRUE(last.forbids);
  EXPECT_TRUE(last.when);
  EXPECT_EQ(last.severity, report::Severity::kWarning);
  EXPECT_EQ(last.fix, "unset it");
  EXPECT_EQ(last.commands, std::vector<std::string>{"unset LD_LIBRARY_PATH"});
  EXPECT_EQ(last.link, "https://wiki.example.org/x");
  EXPECT_EQ(policy->rules[1].wording, "driver >= 550.54 and driver < 600");
  EXPECT_EQ(policy->rules[1].severity, report::Severity::kError);
  EXPECT_EQ(policy->rules[1].source, "site.toml:15");
}

TEST(PolicyFile, MistakesNameLineColumnAndWhatWasExpected) {
  EXPECT_EQ(Mistake(""), "site.toml:1:1: the file has no rule; expected [[rule]]");
  EXPECT_EQ(Mistake("rules = 1\n"), "site.toml:1:9: expected [[rule]], found 'rules'");
  EXPECT_EQ(Mistake("[rule]\ncode = \"SITE001\"\n"), "site.toml:1:2: expected [[rule]], found 'rule'");
  EXPECT_EQ(Mistake("rule = [1]\n"),
            "site.toml:1:1: expected [[rule]] with code, cause, text and require or forbid");
  EXPECT_EQ(Mistake(WithLine("code = \"ABC001\"")),
            "site.toml:5:8: expected SITE and three or four digits, such as SITE001, found 'ABC001'");
  EXPECT_EQ(Mistake(WithLine("code = 1")), "site.toml:5:8: code must be a string");
  EXPECT_EQ(Mistake(WithLine("code = \"\"")), "site.toml:5:8: code must not be empty");
  EXPECT_EQ(
      Mistake(WithLine("cause = \"gremlins\"")),
      "site.toml:5:9: expected a cause such as driver-too-old or search-path (docs/policy.md lists all), "
      "found 'gremlins'");
  EXPECT_EQ(Mistake(WithLine("severity = \"fatal\"")),
            "site.toml:6:12: expected error, warning or note, found 'fatal'");
  EXPECT_EQ(Mistake(WithLine("sevrity = \"error\"")),
            "site.toml:6:11: 'sevrity' is not a key of a rule; use code, cause, severity, text, require or "
            "forbid, when, "
            "fix, commands and link");
  EXPECT_EQ(Mistake(WithLine("text = \"a\\nb\"")),
            "site.toml:5:8: text must be one line without control characters");
  EXPECT_EQ(Mistake(WithLine("text = \"\\u202e\"")),
            "site.toml:5:8: text must be one line without control characters");
  EXPECT_EQ(Mistake(WithLine("text = \"" + std::string(2000, 'x') + "\"")),
            "site.toml:5:8: text may have at most 1000 characters");
  EXPECT_EQ(Mistake(WithLine("link = \"javascript:alert(1)\"")),
            "site.toml:6:8: expected a URL with https://, found 'javascript:alert(1)'");
  EXPECT_EQ(Mistake(WithLine("commands = \"x\"")), "site.toml:6:12: commands must be a list of strings");
  EXPECT_EQ(Mistake(WithLine("commands = [\"x\", 1]")), "site.toml:6:18: a command must be a string");
  EXPECT_EQ(Mistake(WithLine("commands = [\"x\"]")),
            "site.toml:6:1: a rule with commands needs fix = \"what they do\"");
  EXPECT_EQ(Mistake(WithLine("forbid = 'driver'")),
            "site.toml:6:10: a rule has either require or forbid; write two rules");
  EXPECT_EQ(Mistake("[[rule]]\ncode = \"SITE001\"\n"),
            "site.toml:1:1: this rule has no condition; expected require or forbid");
  EXPECT_EQ(Mistake("[[rule]]\nrequire = 'driver'\n"),
            "site.toml:1:1: this rule has no code; expected code = \"SITE001\"");
  EXPECT_EQ(
      Mistake("[[rule]]\ncode = \"SITE001\"\nrequire = 'driver'\n"),
      "site.toml:1:1: this rule has no cause; expected cause = \"driver-too-old\" or another cause from "
      "docs/policy.md");
  EXPECT_EQ(Mistake(WithLine("severity = \"note\"") + WithLine("when = 'driver'")),
            "site.toml:8:8: another rule already has the code SITE001 already");
}

TEST(PolicyFile, AMistakeInAConditionHasItsOwnPlace) {
  EXPECT_EQ(Mistake(WithLine("require = 'driver >= new'")),
            "site.toml:5:22: require: expected a version like 12.4 or 12.*, found 'new'");
  EXPECT_EQ(Mistake(WithLine("require = \"driver >= new\"")),
            "site.toml:5:22: require: expected a version like 12.4 or 12.*, found 'new'");
  EXPECT_EQ(Mistake(WithLine("require = '''\ndriver\n  and all cudnn'''")),
            "site.toml:7:16: require: expected a comparison: 'all cudnn' needs one, found the end");
  EXPECT_EQ(Mistake(WithLine("require = \"all gpu == \\\"x\\\" new\"")),
            "site.toml:5:11: require: expected 'and', 'or' or the end, found 'new'")
      << "with escapes the text itself";
  EXPECT_EQ(Mistake(WithLine("when = 5")),
            "site.toml:6:8: when must be a string with a condition: when = 'driver >= 550.54'");
  EXPECT_EQ(Mistake(WithLine("require = 'driver >= 5 \xC3\xA9'")),
            "site.toml:5:24: require: '\xC3\xA9' is not expected here; put strings in double quotes");
}

TEST(PolicyFile, BrokenTomlIsOneLine) {
  for (const char* text :
       {"[[rule]\n", "a = \n", "\x01", "code = \"\xff\"", "[[rule]]\ncode = \"a\"\ncode = \"b\"\n"}) {
    const std::string mistake = Mistake(text);
    EXPECT_TRUE(mistake.starts_with("site.toml:")) << mistake;
    EXPECT_EQ(mistake.find('\n'), mistake.npos) << mistake;
  }
}

TEST(PolicyFile, ManyRulesEnd) {
  std::string text;
  for (int i = 0; i < 1001; ++i)
    text += "[[rule]]\ncode = \"SITE" + std::to_string(1000 + i) +
            "\"\ncause = \"driver-too-old\"\ntext = \"t\"\nrequire = 'driver'\n";
  EXPECT_EQ(Mistake(text), "site.toml:5001:1: a policy may have at most 1000 rules");
}

}  // namespace
}  // namespace culprit::policy
