// `compat` from arguments to verdicts: which pairs are compared, and how the results combine.
#include "compat/compat.h"

#include <gtest/gtest.h>

namespace culprit::compat {
namespace {

report::CompatAnswer Ask(const std::vector<std::string>& words) {
  const auto question = ParseCompat(words);
  EXPECT_TRUE(question) << (question ? "" : question.error().message);
  return question ? Compat(*question) : report::CompatAnswer{};
}

std::string Wrong(const std::vector<std::string>& words) {
  const auto question = ParseCompat(words);
  EXPECT_FALSE(question);
  return question ? "" : question.error().message;
}

std::string VerdictOf(const report::CompatAnswer& answer, const std::string& one, const std::string& other) {
  for (const auto& pair : answer.pairs) {
    if (pair.one == one && pair.other == other) return std::string(base::Word(pair.verdict));
  }
  return "no such pair";
}

TEST(Compat, AsksEveryPair) {
  const auto answer = Ask({"cudnn=9.5", "cuda=12.4", "driver=535", "gpu=sm_61"});
  EXPECT_EQ(answer.verdict, report::Compatible::kYes);
  EXPECT_EQ(VerdictOf(answer, "driver branch 535", "CUDA 12.4"), "yes");
  EXPECT_EQ(VerdictOf(answer, "driver branch 535", "GPU of compute capability 6.1"), "yes");
  EXPECT_EQ(VerdictOf(answer, "driver branch 535", "cuDNN 9.5"), "yes");
  EXPECT_EQ(VerdictOf(answer, "CUDA 12.4", "cuDNN 9.5"), "yes");
  EXPECT_EQ(VerdictOf(answer, "CUDA 12.4", "GPU of compute capability 6.1"), "yes");
  EXPECT_EQ(VerdictOf(answer, "cuDNN 9.5", "GPU of compute capability 6.1"), "yes");
  EXPECT_EQ(answer.pairs.size(), 6u);
  for (const auto& pair : answer.pairs) EXPECT_FALSE(pair.source.empty()) << pair.one << " " << pair.other;
}

TEST(Compat, OneNoDecides) {
  EXPECT_EQ(Ask({"cudnn=9.11", "cuda=12.9", "gpu=6.1"}).verdict, report::Compatible::kNo);
  EXPECT_EQ(Ask({"cuda=13.0", "driver=575.57.08"}).verdict, report::Compatible::kNo);
  EXPECT_EQ(Ask({"cuda=12.3", "gcc=13"}).verdict, report::Compatible::kNo);
}

TEST(Compat, UnknownIsNeverYes) {
  EXPECT_EQ(Ask({"cuda=14.0", "driver=580.65.06"}).verdict, report::Compatible::kUnknown);
  EXPECT_EQ(Ask({"torch=99.0", "driver=580.65.06"}).verdict, report::Compatible::kUnknown);
  EXPECT_EQ(Ask({"cuda=12.4"}).verdict, report::Compatible::kUnknown) << "nothing to compare";
  EXPECT_EQ(Ask({"gcc=13", "driver=580.65.06"}).verdict, report::Compatible::kUnknown)
      << "nothing to do with each other";
}

TEST(Compat, ABranchWhoseDriversDifferIsUnknown) {
  const auto answer = Ask({"driver=450", "cuda=11.8"});  // 450.36.06 no, 450.51.06 no
  EXPECT_EQ(answer.verdict, report::Compatible::kNo);
  const auto split = Ask({"driver=525", "cuda=12.0.1"});
  EXPECT_EQ(split.verdict, report::Compatible::kYes) << "natively or by minor-version compatibility";
  const auto differs = Ask({"driver=396", "cuda=9.2.148"});  // from 396.37 on
  EXPECT_EQ(differs.verdict, report::Compatible::kUnknown);
  EXPECT_NE(differs.pairs.front().why.find("396.26 no, 396.37 yes"), std::string::npos)
      << differs.pairs.front().why;
}

TEST(Compat, FrameworksWithTheirVariant) {
  EXPECT_EQ(Ask({"torch=2.5.1+cu124", "driver=535.104.05", "gpu=8.9", "python=3.12"}).verdict,
            report::Compatible::kYes);
  EXPECT_EQ(Ask({"torch=2.5.1+cu124", "gpu=RTX 5090"}).verdict, report::Compatible::kNo);
  EXPECT_EQ(Ask({"torch=2.5.1+cu118", "driver=470.82.01"}).verdict, report::Compatible::kYes);
  EXPECT_EQ(Ask({"torch=2.5.1+cu130", "driver=580.65.06"}).verdict, report::Compatible::kUnknown)
      << "no such build in the table";
  EXPECT_EQ(Ask({"tensorflow=2.15", "platform=windows"}).verdict, report::Compatible::kNo);
  EXPECT_EQ(Ask({"torch=2.5.1", "torchvision=0.20.1"}).verdict, report::Compatible::kYes);
  EXPECT_EQ(Ask({"torch=2.5.1", "torchvision=0.21.0"}).verdict, report::Compatible::kNo);
}

TEST(Compat, SaysHowItReadAVersionWithoutVariant) {
  const auto answer = Ask({"torch=2.5", "driver=580.65.06"});
  ASSERT_EQ(answer.notes.size(), 2u);
  EXPECT_EQ(answer.notes[0], "torch 2.5 is read as 2.5.1");
  EXPECT_EQ(answer.notes[1],
            "torch 2.5 is read as +cu124, the default of the package index; other builds: cu118, cu121");
}

TEST(Compat, RefusesWhatItCannotRead) {
  EXPECT_EQ(Wrong({"cuda"}), "'cuda' is not KEY=VALUE");
  EXPECT_EQ(Wrong({"cuda="}), "'cuda=' is not KEY=VALUE");
  EXPECT_EQ(Wrong({"cuda=12.4", "CUDA=12.5"}), "'cuda' is given twice");
  EXPECT_EQ(Wrong({"cuda=twelve"}), "'twelve' is not a version of cuda");
  EXPECT_EQ(Wrong({"platform=macos"}), "platform is linux or windows, not 'macos'");
  EXPECT_TRUE(Wrong({"gpu=Voodoo 2"}).starts_with("the GPU 'Voodoo 2' is not in the table"));
  EXPECT_TRUE(Wrong({"colour=blue"}).starts_with("unknown key 'colour'"));
}

}  // namespace
}  // namespace culprit::compat
