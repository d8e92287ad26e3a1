#include "change/prove/proof.h"

#include <gtest/gtest.h>

namespace culprit::prove {
namespace {

using report::CheckReport;
using report::Finding;
using report::Proof;
using report::Severity;

Finding Of(const char* code, const char* subject, Severity severity = Severity::kError,
           const char* summary = "it is broken") {
  return {.code = code, .severity = severity, .summary = summary, .subject = subject};
}
CheckReport Says(std::vector<Finding> findings, size_t blind = 0) {
  return {.findings = std::move(findings), .rules_run = 100 - blind, .rules_total = 100};
}

TEST(Compare, AFindingThatIsGoneIsShownWithWhatGoesWithIt) {
  const Proof proof = Compare(Says({Of("CUL1", "a"), Of("CUL2", "a"), Of("CUL3", "b")}),
                              Says({Of("CUL3", "b")}), Of("CUL1", "a"));
  EXPECT_EQ(proof.outcome, Proof::Outcome::kShown);
  EXPECT_EQ(proof.also, std::vector<std::string>{"CUL2"});
}

TEST(Compare, AFindingThatStaysOrMovesIsNotGone) {
  const Finding finding = Of("CUL1", "a");
  EXPECT_EQ(Compare(Says({finding}), Says({finding}), finding).outcome, Proof::Outcome::kNotGone);
  EXPECT_EQ(
      Compare(Says({finding}), Says({Of("CUL1", "a", Severity::kError, "in other words")}), finding).outcome,
      Proof::Outcome::kNotGone);
  EXPECT_EQ(Compare(Says({finding}), Says({Of("CUL1", "b")}), finding).outcome, Proof::Outcome::kNotGone);
}

TEST(Compare, OneOfTwoAboutTheSameSubjectCanBeGone) {
  Finding one = Of("CUL1", "a"), two = Of("CUL1", "a");
  one.about = {"one"};
  two.about = {"two"};
  EXPECT_EQ(Compare(Says({one, two}), Says({two}), one).outcome, Proof::Outcome::kShown);
  EXPECT_EQ(Compare(Says({one, two}), Says({one}), one).outcome, Proof::Outcome::kNotGone);
}

TEST(Compare, ANewAlarmIsToldAndANewNoteIsNone) {
  const Finding finding = Of("CUL1", "a");
  const Proof broken = Compare(Says({finding}), Says({Of("CUL9", "c", Severity::kWarning)}), finding);
  EXPECT_EQ(broken.outcome, Proof::Outcome::kBringsNew);
  ASSERT_EQ(broken.brings.size(), 1u);
  EXPECT_EQ(broken.brings[0].code, "CUL9");
  EXPECT_EQ(Compare(Says({finding}), Says({Of("CUL9", "c", Severity::kNote)}), finding).outcome,
            Proof::Outcome::kShown);
  // What was a warning and becomes an error is new.
  EXPECT_EQ(
      Compare(Says({finding, Of("CUL2", "b", Severity::kWarning)}), Says({Of("CUL2", "b")}), finding).outcome,
      Proof::Outcome::kBringsNew);
}

TEST(Comparison, ManyFindingsCostNoMoreThanTheirNumber) {
  std::vector<Finding> findings;
  for (int i = 0; i < 20000; ++i) findings.push_back(Of("CUL1", ("/p/" + std::to_string(i)).c_str()));
  const CheckReport before = Says(findings), after = Says({});
  const Comparison comparison(before, after);
  for (size_t i = 0; i < 100; ++i) EXPECT_EQ(comparison.Of(findings[i]).outcome, Proof::Outcome::kShown);
}

TEST(Compare, ARuleThatCannotLookAnyMoreProvesNothing) {
  const Finding finding = Of("CUL1", "a");
  CheckReport after = Says({}, /*blind=*/1);
  after.not_checked = {{"libx of /p", "not recorded"}};
  const Proof proof = Compare(Says({finding}), after, finding);
  EXPECT_EQ(proof.outcome, Proof::Outcome::kNotShown);
  EXPECT_NE(proof.why.find("libx of /p"), std::string::npos);
}

}  // namespace
}  // namespace culprit::prove
