// data/explain/ and data/causes.toml are consistent: examples match, conditions refer to existing symptoms,
// texts use only existing values, codes are rules.
#include <re2/re2.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "base/text.h"
#include "explain/logs/clean_line.h"
#include "explain/logs/signature_index.h"
#include "explained.h"
#include "knowledge/messages/causes.h"
#include "knowledge/messages/signatures.h"
#include "rules/rule.h"

namespace culprit {
namespace {

using knowledge::Role;

// All `[[symptom.<key>]]` of data/explain/, in the order of the table.
std::vector<toml::table> PartsOfSymptoms(std::string_view key) {
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(CULPRIT_SOURCE_DIR "/data/explain"))
    files.insert(entry.path());
  std::vector<toml::table> parts;
  for (const std::filesystem::path& file : files) {
    const toml::table root = toml::parse_file(file.string());
    const toml::array* symptoms = root["symptom"].as_array();
    if (symptoms == nullptr) continue;
    for (const toml::node& symptom : *symptoms) {
      const toml::array* array = (*symptom.as_table())[key].as_array();
      if (array == nullptr) continue;
      for (const toml::node& part : *array) parts.push_back(*part.as_table());
    }
  }
  return parts;
}

const std::vector<toml::table>& Patterns() {
  static const std::vector<toml::table> kPatterns = PartsOfSymptoms("pattern");
  return kPatterns;
}

std::vector<std::string> TextsOf(const toml::table& pattern, std::string_view key) {
  std::vector<std::string> texts;
  if (const toml::array* array = pattern[key].as_array()) {
    for (const toml::node& text : *array) texts.push_back(text.value_or(std::string()));
  }
  return texts;
}

std::set<std::string, std::less<>> Symptoms() {
  std::set<std::string, std::less<>> symptoms;
  for (const knowledge::Signature& signature : knowledge::Signatures()) symptoms.emplace(signature.symptom);
  return symptoms;
}

// As the reader sees it: without colors and prefixes.
std::string Cleaned(const std::string& text) {
  std::string cleaned;
  for (const std::string& line : base::Split(text, '\n'))
    cleaned += (cleaned.empty() ? "" : "\n") + logs::CleanLine(line).text;
  return cleaned;
}

// Is the signature tried on this text at all? The text must contain one of its anchors.
bool IsAsked(size_t signature, const std::string& text) {
  const logs::SignatureIndex& index = logs::SignatureIndex::The();
  bool asked = std::ranges::count(index.loose(), signature) > 0;
  index.finder().Find(text, 0, [&](const logs::AnchorFinder::Hit& hit) {
    asked = asked || std::ranges::count(index.OfAnchor(hit.anchor), signature) > 0;
    return !asked;
  });
  return asked;
}

TEST(SignatureTable, IsInTheOrderOfTheFiles) {
  const auto signatures = knowledge::Signatures();
  ASSERT_EQ(Patterns().size(), signatures.size());
  for (size_t i = 0; i < signatures.size(); ++i)
    ASSERT_EQ(Patterns()[i]["id"].value_or(std::string()), signatures[i].id);
}

TEST(SignatureTable, EveryExampleIsMatchedByItsOwnPattern) {
  const auto signatures = knowledge::Signatures();
  for (size_t i = 0; i < signatures.size(); ++i) {
    for (const std::string& example : TextsOf(Patterns()[i], "examples")) {
      const std::string text = Cleaned(example);
      EXPECT_TRUE(IsAsked(i, text)) << signatures[i].id << ": no anchor in: " << example;
      EXPECT_TRUE(RE2::PartialMatch(text, logs::SignatureIndex::The().Expression(i)))
          << signatures[i].id << ": " << example;
      // Another signature may say the same or more about it. A hint is silent next to a failure.
      if (signatures[i].role == Role::kHint) continue;
      const auto symptoms = SymptomsOf(example);
      EXPECT_TRUE(std::ranges::any_of(
          symptoms, [&](const auto& symptom) { return symptom.kind() == signatures[i].symptom; }))
          << signatures[i].id << ": " << example;
    }
  }
}

TEST(SignatureTable, NoCounterExampleIsMatchedByItsPattern) {
  const auto signatures = knowledge::Signatures();
  for (size_t i = 0; i < signatures.size(); ++i) {
    for (const std::string& text : TextsOf(Patterns()[i], "silent")) {
      EXPECT_FALSE(RE2::PartialMatch(Cleaned(text), logs::SignatureIndex::The().Expression(i)))
          << signatures[i].id << ": " << text;
    }
  }
}

TEST(SignatureTable, EveryExpressionIsSoundAndSmall) {
  for (const knowledge::Signature& signature : knowledge::Signatures()) {
    const RE2 expression(re2::StringPiece(signature.pattern.data(), signature.pattern.size()), RE2::Latin1);
    EXPECT_TRUE(expression.ok()) << signature.id << ": " << expression.error();
    EXPECT_LE(expression.NumberOfCapturingGroups(), 11) << signature.id;
    EXPECT_LE(expression.ProgramSize(), 4000) << signature.id;
    EXPECT_FALSE(RE2::PartialMatch("", expression)) << signature.id;
  }
}

TEST(SignatureTable, HarmlessLinesSayWhy) {
  for (const knowledge::Signature& signature : knowledge::Signatures()) {
    EXPECT_EQ(signature.role == Role::kHarmless, !signature.note.empty()) << signature.id;
  }
}

TEST(StoryTable, SpeaksOfSymptomsThatExist) {
  const auto symptoms = Symptoms();
  for (const knowledge::Story& story : knowledge::Stories()) {
    EXPECT_NE(story.weight, 0) << story.symptom << ": " << story.cause;
    for (std::string_view with : story.with) {
      if (with.starts_with('!')) with.remove_prefix(1);
      const std::string kind(with.substr(0, with.find(' ')));
      EXPECT_TRUE(symptoms.contains(kind)) << story.symptom << ": " << kind;
    }
  }
}

// An example of a pattern reaches it, or one of its own.
TEST(StoryTable, EveryConditionIsReachedByAnExample) {
  using Texts = std::vector<std::string_view>;
  using Condition = std::tuple<std::string_view, Texts, Texts>;
  const auto condition_of = [](const knowledge::Story& story) {
    return Condition(story.symptom, Texts(story.where.begin(), story.where.end()),
                     Texts(story.with.begin(), story.with.end()));
  };
  std::set<Condition> unreached;
  for (const knowledge::Story& story : knowledge::Stories()) unreached.insert(condition_of(story));
  const auto reach = [&](const std::string& example) {
    const std::vector<logs::Symptom> symptoms = SymptomsOf(example);
    const explain::Differential differential(symptoms);
    for (const explain::Told& told : differential.told()) unreached.erase(condition_of(*told.story));
  };
  for (const toml::table& pattern : Patterns()) std::ranges::for_each(TextsOf(pattern, "examples"), reach);
  for (const toml::table& condition : PartsOfSymptoms("when"))
    reach(condition["example"].value_or(std::string()));
  for (const Condition& condition : unreached) ADD_FAILURE() << testing::PrintToString(condition);
}

TEST(StoryTable, EveryFailureHasAStory) {
  std::set<std::string_view> told;
  for (const knowledge::Story& story : knowledge::Stories()) told.insert(story.symptom);
  for (const knowledge::Signature& signature : knowledge::Signatures()) {
    if (signature.role == Role::kContext || signature.role == Role::kHarmless) continue;
    EXPECT_TRUE(told.contains(signature.symptom)) << signature.id << ": " << signature.symptom;
  }
}

TEST(AdviceTable, CodesAreRules) {
  for (const knowledge::Advice& advice : knowledge::Advices()) {
    EXPECT_TRUE(advice.code.empty() || rules::FindRule(advice.code) != nullptr)
        << advice.name << ": " << advice.code;
  }
  for (const knowledge::Cause& cause : knowledge::Causes()) {
    EXPECT_TRUE(cause.code.empty() || rules::FindRule(cause.code) != nullptr)
        << cause.slug << ": " << cause.code;
  }
}

bool IsOfAUnixShell(std::string_view command) {
  constexpr std::string_view kThere[] = {"sudo ", "unset ", "ulimit ", "mv "};
  return std::ranges::any_of(kThere, [&](std::string_view word) { return command.starts_with(word); });
}

TEST(AdviceTable, CommandsOfAUnixShellAreForLinux) {
  for (const knowledge::Advice& advice : knowledge::Advices()) {
    EXPECT_TRUE(advice.on_linux || std::ranges::none_of(advice.commands, IsOfAUnixShell)) << advice.name;
  }
}

// What to do on Windows is then said by the cause.
TEST(Explain, ALogOfWindowsGetsNoCommandsOfAUnixShell) {
  size_t others = 0;
  for (const toml::table& pattern : Patterns()) {
    for (const std::string& example : TextsOf(pattern, "examples")) {
      const std::string linux_log = "  File \"/home/me/train.py\", line 3, in <module>\n" + example;
      const std::string windows_log = "  File \"C:\\Users\\me\\train.py\", line 3, in <module>\n" + example;
      for (const report::LikelyCause& cause : Explained(linux_log).causes)
        others += !cause.commands.empty() && IsOfAUnixShell(cause.commands.front().Text().value_or(""));
      for (const report::LikelyCause& cause : Explained(windows_log).causes) {
        for (const report::Command& command : cause.commands)
          EXPECT_FALSE(IsOfAUnixShell(command.Text().value_or(""))) << example;
      }
    }
  }
  EXPECT_GT(others, 20u);
}

TEST(CauseTable, IsTheClosedListAndHasAllTexts) {
  EXPECT_EQ(knowledge::Causes().size(), 36u);
  for (const rules::Rule* rule : rules::AllRules()) {
    EXPECT_NE(knowledge::FindCause(rule->cause), nullptr) << rule->code;
  }
}

void ExpectComplete(const report::LikelyCause& cause, std::string_view id) {
  for (const std::string& text : {cause.summary, cause.separate_by, cause.fix})
    EXPECT_FALSE(text.empty()) << id << ": " << cause.cause;
  for (const std::string& text : {cause.summary, cause.because, cause.separate_by, cause.fix, cause.avoid}) {
    EXPECT_FALSE(RE2::PartialMatch(text, "\\{[a-z_]+\\}")) << id << ": " << text;
  }
  EXPECT_GT(cause.confidence, 0);
  EXPECT_LT(cause.confidence, 1);
  EXPECT_FALSE(cause.evidence.empty());
}

// The explanation of a failure is complete, and every placeholder was filled in.
TEST(Explain, EveryExampleOfAFailureIsExplainedInFull) {
  const auto signatures = knowledge::Signatures();
  for (size_t i = 0; i < signatures.size(); ++i) {
    if (signatures[i].role != Role::kFailure) continue;
    for (const std::string& example : TextsOf(Patterns()[i], "examples")) {
      const report::Explanation explanation = Explained(example);
      const auto& causes = explanation.causes.empty() ? explanation.near : explanation.causes;
      ASSERT_FALSE(causes.empty()) << signatures[i].id;
      for (const report::LikelyCause& cause : causes) ExpectComplete(cause, signatures[i].id);
      EXPECT_TRUE(std::ranges::is_sorted(causes, std::ranges::greater(), &report::LikelyCause::confidence))
          << signatures[i].id;
    }
  }
}

}  // namespace
}  // namespace culprit
