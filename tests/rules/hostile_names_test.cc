// Names that an attacker would choose, through every rule's case and every format. Whatever is printed shows
// each character, and a real shell that reads the printed commands runs nothing of a name.
#include <gtest/gtest.h>
#include <re2/re2.h>
#include <toml++/toml.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/json.h"
#include "base/text.h"
#include "engine/check.h"
#include "made_up_machine.h"
#include "render/check/check.h"
#include "render/page/page.h"
#include "rule_case.h"
#include "system/child.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

// ">X" makes a file without any program.
struct Hostile {
  const char* title;
  const char* name;     // begins the name of every directory in /opt and /home
  const char* version;  // follows the version of every Python package
  bool shown = true;    // a command can contain it
};
constexpr Hostile kHostile[] = {
    {"Substitution", "$(>X)", ""},
    {"Backticks", "`>X`", ""},
    {"Spaces", "a b", ""},
    {"Quotes", "it's \"", ""},
    {"ClosingQuote", "'$(>X)'", ""},
    {"Operators", "& >X ;", ""},
    {"Backslash", "a\\' $(>X)\\", ""},
    {"Option", "-rf >X #", ""},
    {"History", "!!*?~", ""},
    {"Newline", "a\n>X\n", "", false},
    {"Invisible", "a\u202E\u2066\u200F\x1b[31m\u2028\u0085", "", false},
    {"Version", "", ";>X", false},
};

std::string InToml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    if (static_cast<unsigned char>(c) < ' ')
      escaped += "\\u" + base::Hex(static_cast<unsigned char>(c), 4);
    else
      escaped += c;
  }
  return escaped;
}

std::string Text(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// A description with the names in it.
std::string Renamed(std::string text, const Hostile& hostile) {
  const auto add_after = [&](const char* pattern, std::string_view foreign) {
    std::string rewrite = "\\1";
    for (const char c : InToml(foreign)) rewrite += c == '\\' ? std::string("\\\\") : std::string(1, c);
    RE2::GlobalReplace(&text, pattern, rewrite + "\\2");
  };
  // What a case expects is not read here, and some of it is in other quotes.
  RE2::GlobalReplace(&text, "\n(fix|summary|subject) = [^\n]*", "");
  if (*hostile.name != '\0') add_after("(/(?:opt|home)/)([A-Za-z])", hostile.name);
  if (*hostile.version != '\0') add_after("(Version: [0-9][0-9.]*)()", hostile.version);
  return text;
}

class Names : public testing::TestWithParam<Hostile> {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "culprit_names_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    top_ = name;
    fs::create_directories(top_ / "worlds");
    fs::create_directories(top_ / "empty");
    for (const fs::path& world : model::TomlFiles(fs::path(CULPRIT_RULE_CASES) / "worlds"))
      std::ofstream(top_ / "worlds" / world.filename()) << Renamed(Text(world), GetParam());
  }
  void TearDown() override { fs::remove_all(top_); }

  // What a shell without programs makes of the commands, each behind a printf; a file X tells that a name
  // ran.
  std::string Pasted(const std::vector<std::string>& commands) {
    std::string script, output;
    for (const std::string& command : commands) script += "printf '%s\\n' " + command + "\n";
    const auto end =
        system::RunChild({.program = "/bin/sh",
                          .arguments = {"-c", script + "printf 'read to the end\\n'"},
                          .environment = std::map<std::string, std::string>{{"PATH", "/nonexistent"}},
                          .working_directory = top_ / "empty"},
                         {.on_output = [&](system::ChildStream stream, std::string_view piece) {
                           if (stream == system::ChildStream::kOutput) output += piece;
                           return true;
                         }});
    EXPECT_TRUE(end.has_value()) << script;
    EXPECT_TRUE(output.ends_with("read to the end\n")) << script;
    EXPECT_TRUE(fs::is_empty(top_ / "empty")) << script;
    return output;
  }

  fs::path top_;
};

void ExpectEverythingIsSeen(std::string_view document, const char* format) {
  for (size_t i = 0; i < document.size();) {
    if (document[i] >= ' ' && document[i] <= '~') {  // nearly all of them
      ++i;
      continue;
    }
    const auto [code, length] = base::SignAt(document.substr(i));
    ASSERT_TRUE(length > 0 && !base::IsInvisible(code) && (code >= ' ' || code == '\n'))
        << format << " has character " << code << " after " << document.substr(i < 80 ? 0 : i - 80, 80);
    i += length;
  }
}

void ExpectSafeDocuments(const report::CheckReport& report) {
  static const auto pages = engine::RulePages();
  ExpectEverythingIsSeen(render::ToText(report, {}, {.verbose = true}), "text");
  ExpectEverythingIsSeen(render::ToMarkdown(report), "Markdown");
  ExpectEverythingIsSeen(render::ToJunit(report, pages, false), "JUnit");
  ExpectEverythingIsSeen(render::ToSarif(report, pages, false), "SARIF");
  ExpectEverythingIsSeen(render::ToPrometheus(report, {}), "Prometheus");
  ExpectEverythingIsSeen(render::ToHtml(report, {}), "HTML");
  const std::string json = render::ToJson(report, {});
  ExpectEverythingIsSeen(json, "JSON");
  const auto findings = base::Json::parse(json).at("findings");
  for (size_t i = 0; i < report.findings.size(); ++i)
    EXPECT_EQ(findings.at(i).at("subject").get<std::string>(), report.findings[i].subject);
}

TEST_P(Names, AreNeverReadByAShellOrATerminal) {
  const Hostile& hostile = GetParam();
  size_t named = 0, left_out = 0;
  // Each name meets every third case, another third than the next name; under the sanitizers, a ninth, and of
  // fewer rules.
  constexpr size_t kEach = CULPRIT_CASE_STRIDE == 1 ? 3 : 9;
  size_t files = 0;
  size_t count = static_cast<size_t>(std::ranges::find(kHostile, hostile.title, &Hostile::title) - kHostile);
  for (const fs::path& file : model::TomlFiles(CULPRIT_RULE_CASES)) {
    if (++files % CULPRIT_CASE_STRIDE != 0) continue;
    const toml::table table = toml::parse(Renamed(Text(file), hostile));
    for (const toml::node& node : *table["case"].as_array()) {
      const toml::table& description = *node.as_table();
      if (!description["fires"].value_or(false) || ++count % kEach != 0) continue;
      model::MadeUpMachine machine(top_);
      machine.Apply(description);
      const auto diagnosis = model::Diagnose(machine.system, description);
      const report::CheckReport report = diagnosis->Judge();
      if (!hostile.shown) ExpectSafeDocuments(report);
      if (diagnosis->scene().OnWindows()) continue;  // no cmd here; src/report/command_test.cc
      std::vector<std::string> commands;
      for (const report::Finding& finding : report.findings) {
        const auto texts = report::Texts(finding.fix.commands);
        commands.insert(commands.end(), texts.begin(), texts.end());
        left_out += texts.empty() && !finding.fix.commands.empty();
      }
      const std::string output = commands.empty() ? "" : Pasted(commands);
      named += base::Contains(output, std::string("/opt/") + hostile.name);
    }
  }
  // Otherwise this tested nothing.
  if (CULPRIT_CASE_STRIDE == 1) {
    EXPECT_GT(hostile.shown ? named : left_out, 2u);
  }
}

INSTANTIATE_TEST_SUITE_P(Hostile, Names, testing::ValuesIn(kHostile),
                         [](const auto& one) { return std::string(one.param.title); });

}  // namespace
}  // namespace culprit
