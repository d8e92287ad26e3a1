// data/signatures.toml and data/causes.toml are consistent: examples match, stories refer to existing
// symptoms, texts use only existing values, codes are rules.
#include <re2/re2.h>
#include <toml++/toml.h>

#include <algorithm>
#include <set>

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

toml::table Signatures() { return toml::parse_file(CULPRIT_SOURCE_DIR "/data/signatures.toml"); }

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

TEST(SignatureTable, EveryExampleIsMatchedByItsOwnSignature) {
  const toml::table table = Signatures();
  const auto signatures = knowledge::Signatures();
  const toml::array& rows = *table["signature"].as_array();
  ASSERT_EQ(rows.size(), signatures.size());
  for (size_t i = 0; i < signatures.size(); ++i) {
    const toml::table& row = *rows[i].as_table();
    const std::string example = row["example"].value_or(std::string()), text = Cleaned(example);
    ASSERT_EQ(row["id"].value_or(std::string()), signatures[i].id);
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

TEST(StoryTable, SpeaksOfSymptomsAndCausesThatExist) {
  const auto symptoms = Symptoms();
  for (const knowledge::Story& story : knowledge::Stories()) {
    EXPECT_TRUE(symptoms.contains(story.symptom)) << story.id << ": " << story.symptom;
    EXPECT_NE(knowledge::FindCause(story.cause), nullptr) << story.id << ": " << story.cause;
    EXPECT_NE(story.weight, 0) << story.id;
    for (std::string_view with : story.with) {
      if (with.starts_with('!')) with.remove_prefix(1);
      const std::string kind(with.substr(0, with.find(' ')));
      EXPECT_TRUE(symptoms.contains(kind)) << story.id << ": " << kind;
    }
  }
}

TEST(StoryTable, EveryFailureHasAStory) {
  std::set<std::string_view> told;
  for (const knowledge::Story& story : knowledge::Stories()) told.insert(story.symptom);
  for (const knowledge::Signature& signature : knowledge::Signatures()) {
    if (signature.role == Role::kContext || signature.role == Role::kHarmless) continue;
    EXPECT_TRUE(told.contains(signature.symptom)) << signature.id << ": " << signature.symptom;
  }
}

TEST(StoryTable, CodesAreRules) {
  for (const knowledge::Story& story : knowledge::Stories()) {
    EXPECT_TRUE(story.code.empty() || rules::FindRule(story.code) != nullptr)
        << story.id << ": " << story.code;
  }
  for (const knowledge::Cause& cause : knowledge::Causes()) {
    EXPECT_TRUE(cause.code.empty() || rules::FindRule(cause.code) != nullptr)
        << cause.slug << ": " << cause.code;
  }
}

TEST(CauseTable, IsTheClosedListAndHasAllTexts) {
  EXPECT_EQ(knowledge::Causes().size(), 36u);
  for (const rules::Rule* rule : rules::AllRules()) {
    EXPECT_NE(knowledge::FindCause(rule->cause), nullptr) << rule->code;
  }
}

// The explanation of a failure is complete, and every placeholder was filled in.
TEST(Explain, EveryExampleOfAFailureIsExplainedInFull) {
  const toml::table table = Signatures();
  for (const toml::node& node : *table["signature"].as_array()) {
    const toml::table& row = *node.as_table();
    const std::string role = row["role"].value_or(std::string("failure"));
    if (role != "failure") continue;
    const std::string id = row["id"].value_or(std::string());
    const report::Explanation explanation = Explained(row["example"].value_or(std::string()));
    ASSERT_FALSE(explanation.causes.empty()) << id;
    for (const report::LikelyCause& cause : explanation.causes) {
      for (const std::string& text : {cause.summary, cause.separate_by, cause.fix}) {
        EXPECT_FALSE(text.empty()) << id << ": " << cause.cause;
      }
      for (const std::string& text :
           {cause.summary, cause.because, cause.separate_by, cause.fix, cause.avoid}) {
        EXPECT_FALSE(RE2::PartialMatch(text, "\\{[a-z_]+\\}")) << id << ": " << text;
      }
      EXPECT_GT(cause.confidence, 0);
      EXPECT_LT(cause.confidence, 1);
      EXPECT_FALSE(cause.evidence.empty());
    }
    EXPECT_TRUE(
        std::ranges::is_sorted(explanation.causes, std::ranges::greater(), &report::LikelyCause::confidence))
        << id;
  }
}

}  // namespace
}  // namespace culprit
