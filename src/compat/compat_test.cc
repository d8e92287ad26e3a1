// `compat` from arguments to verdicts: which pairs are compared, and how the results combine.
#include "compat/compat.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "knowledge/packages/builds.h"

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
  EXPECT_EQ(Ask({"cuda=12.4"}).verdict, report::Compatible::kUnknown) << "nothing to compare, but a list";
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
  ASSERT_EQ(answer.notes.size(), 1u);
  EXPECT_EQ(answer.notes[0], "torch 2.5 is read as 2.5.1");
  ASSERT_EQ(answer.builds.size(), 1u);
  EXPECT_EQ(answer.builds[0].build, "torch 2.5.1+cu124");
  EXPECT_TRUE(answer.builds[0].is_default);
  EXPECT_EQ(answer.builds[0].install.Text(), "pip install \"torch==2.5.1\"");
  EXPECT_EQ(answer.builds[0].others, (std::vector<std::string>{"torch 2.5.1+cu121", "torch 2.5.1+cu118"}));
}

// One build answers all pairs: +cu118 for the driver, although +cu124 is the default.
TEST(Compat, AnyBuildThatFitsIsAYes) {
  const auto old = Ask({"torch=2.5.1", "driver=470.82.01", "gpu=8.0", "python=3.12"});
  EXPECT_EQ(old.verdict, report::Compatible::kYes);
  ASSERT_EQ(old.builds.size(), 1u);
  EXPECT_EQ(old.builds[0].build, "torch 2.5.1+cu118");
  EXPECT_EQ(old.builds[0].install.Text(),
            "pip install \"torch==2.5.1+cu118\" --index-url https://download.pytorch.org/whl/cu118");
  const auto jax = Ask({"jax=0.10.2", "cuda=13.0"});
  EXPECT_EQ(jax.verdict, report::Compatible::kYes);
  ASSERT_EQ(jax.builds.size(), 1u);
  EXPECT_EQ(jax.builds[0].install.Text(), "pip install \"jax[cuda13]==0.10.2\"");
  // +cu126 has code for 6.1, +cu128 for 12.0, and none for an old driver: the nearest says why.
  const auto none = Ask({"torch=2.8.0", "driver=470.82.01", "gpu=6.1"});
  EXPECT_EQ(none.verdict, report::Compatible::kNo);
  ASSERT_EQ(none.builds.size(), 1u);
  EXPECT_EQ(none.builds[0].build, "torch 2.8.0+cu126");
  EXPECT_TRUE(none.builds[0].install.empty());
}

TEST(Compat, ANamedBuildAnswersForItselfAlone) {
  EXPECT_EQ(Ask({"torch=2.7.0", "gpu=12.0"}).verdict, report::Compatible::kYes);
  EXPECT_EQ(Ask({"torch=2.7.0+cu126", "gpu=12.0"}).verdict, report::Compatible::kNo);
}

TEST(Compat, WhatOnlyABuildCouldDoOfWhichNobodyKnowsIsUnknown) {
  const auto builds = knowledge::BuildsOf("torch", base::Machine::kLinuxX86);
  const auto missing = std::ranges::find_if(builds, [](const auto& build) { return !build.in_table; });
  ASSERT_NE(missing, builds.end())
      << "all builds of torch have rows: take another release with fewer than three";
  const std::string version = "torch=" + std::string(missing->version);
  EXPECT_EQ(Ask({version, "gpu=8.0"}).verdict, report::Compatible::kYes);
  EXPECT_EQ(Ask({version + "+" + std::string(missing->row.variant), "gpu=8.0"}).verdict,
            report::Compatible::kUnknown);
  EXPECT_EQ(Ask({version, "gpu=2.0"}).verdict, report::Compatible::kNo) << "no build that there could be";
}

TEST(Compat, ThePackageIndexDoesNotDecideForAnotherIndex) {
  EXPECT_EQ(Ask({"torch=2.5.1+cu118", "python=3.12"}).verdict, report::Compatible::kYes);
  EXPECT_EQ(Ask({"torch=2.9.0+cu126", "python=3.9"}).verdict, report::Compatible::kNo) << "Requires-Python";
}

TEST(Compat, ADriverNewerThanTheTableRunsOlderCudaButMayHaveDroppedAGpu) {
  EXPECT_EQ(Ask({"driver=999.10", "cuda=12.4"}).verdict, report::Compatible::kYes);
  EXPECT_EQ(Ask({"driver=999.10", "gpu=7.5"}).verdict, report::Compatible::kUnknown);
  EXPECT_EQ(Ask({"driver=999.10", "gpu=3.7"}).verdict, report::Compatible::kNo) << "R470 was the last";
}

const report::GoesWith* Line(const report::CompatAnswer& answer, const std::string& what) {
  const auto at = std::ranges::find(answer.goes_with, what, &report::GoesWith::what);
  return at == answer.goes_with.end() ? nullptr : &*at;
}

std::string RangeIn(const report::CompatAnswer& answer, const std::string& what) {
  const report::GoesWith* line = Line(answer, what);
  return line == nullptr ? "no such line" : line->range;
}

bool Has(const report::CompatAnswer& answer, const std::string& what, const std::string& value) {
  const report::GoesWith* line = Line(answer, what);
  return line != nullptr && std::ranges::find(line->values, value) != line->values.end();
}

TEST(CompatList, OfCuda) {
  const auto answer = Ask({"cuda=12.4"});
  EXPECT_EQ(answer.about, "CUDA 12.4");
  EXPECT_EQ(RangeIn(answer, "driver on Linux"), "550.54.14 and newer");
  EXPECT_EQ(RangeIn(answer, "driver on Linux, minor-version compatibility"), "525.60.13 and newer");
  EXPECT_EQ(RangeIn(answer, "driver on Windows"), "551.61 and newer");
  EXPECT_TRUE(Has(answer, "driver branch with cuda-compat", "470"));
  EXPECT_TRUE(Has(answer, "GPU, Hopper", "9.0"));
  EXPECT_EQ(Line(answer, "GPU, Blackwell"), nullptr);
  EXPECT_EQ(Line(answer, "GPU, Kepler"), nullptr);
  EXPECT_TRUE(Has(answer, "cuDNN", "9.1.0"));
  EXPECT_FALSE(Has(answer, "cuDNN", "8.2.0"));
  EXPECT_TRUE(Has(answer, "torch", "torch 2.6.0+cu124"));
  EXPECT_FALSE(Has(answer, "torch", "torch 2.6.0+cu126"));
  EXPECT_NE(Line(answer, "gcc"), nullptr);
  for (const auto& line : answer.goes_with) EXPECT_FALSE(line.source.empty()) << line.what;
  EXPECT_EQ(Line(Ask({"cuda=12.4", "platform=windows"}), "driver on Linux"), nullptr);
}

TEST(CompatList, OfDriverAndGpu) {
  const auto driver = Ask({"driver=535.183.01"});
  EXPECT_TRUE(Has(driver, "CUDA", "12.2"));
  EXPECT_TRUE(Has(driver, "CUDA, minor-version compatibility", "12.9"));
  EXPECT_FALSE(Has(driver, "CUDA, minor-version compatibility", "13.0"));
  EXPECT_TRUE(Has(driver, "GPU, Hopper", "9.0"));
  EXPECT_EQ(Line(driver, "GPU, Kepler"), nullptr);
  EXPECT_TRUE(Has(driver, "torch", "torch 2.6.0+cu126"));
  const auto gpu = Ask({"gpu=H100"});
  EXPECT_EQ(gpu.about, "H100 (compute capability 9.0)");
  EXPECT_TRUE(Has(gpu, "CUDA toolkit", "11.8"));
  EXPECT_FALSE(Has(gpu, "CUDA toolkit", "11.7"));
  EXPECT_TRUE(Has(gpu, "torch", "torch 2.6.0+cu124"));
}

TEST(CompatList, OfPackagesCompilersAndPython) {
  const auto torch = Ask({"torch=2.6.0"});
  EXPECT_NE(Line(torch, "torch 2.6.0+cu124"), nullptr);
  EXPECT_TRUE(Has(torch, "Python", "3.12"));
  EXPECT_FALSE(Has(torch, "Python", "3.8"));
  EXPECT_TRUE(Has(torch, "torchvision", "0.21.0"));
  EXPECT_TRUE(Has(Ask({"cudnn=9.1"}), "CUDA", "12.x"));
  EXPECT_TRUE(Has(Ask({"gcc=13"}), "CUDA", "12.4"));
  EXPECT_FALSE(Has(Ask({"gcc=13"}), "CUDA", "12.3"));
  EXPECT_TRUE(Has(Ask({"python=3.13"}), "torch", "torch 2.6.0+cu124"));
  EXPECT_FALSE(Has(Ask({"python=3.13"}), "torch", "torch 2.4.0+cu121"));
}

// A line of a list and the answer about the pair are the same thing.
TEST(CompatList, AgreesWithThePairs) {
  for (const char* gpu : {"gpu=6.1", "gpu=9.0", "gpu=12.0"}) {
    const auto answer = Ask({gpu});
    const report::GoesWith* line = Line(answer, "torch");
    ASSERT_NE(line, nullptr) << gpu;
    for (const std::string& build : line->values) {
      const std::string asked = "torch=" + build.substr(build.find(' ') + 1);
      EXPECT_EQ(Ask({asked, gpu}).verdict, report::Compatible::kYes) << asked << " " << gpu;
    }
  }
}

TEST(CompatList, WhatTheTablesDoNotKnowIsNoList) {
  const auto answer = Ask({"cuda=99.0"});
  EXPECT_TRUE(answer.goes_with.empty());
  ASSERT_EQ(answer.notes.size(), 1u);
  EXPECT_EQ(answer.notes[0], "CUDA 99.0 is not in the table");
}

TEST(Compat, RefusesWhatItCannotRead) {
  EXPECT_EQ(Wrong({"cuda"}), "'cuda' is not KEY=VALUE");
  EXPECT_EQ(Wrong({"cuda="}), "'cuda=' is not KEY=VALUE");
  EXPECT_EQ(Wrong({"cuda=12.4", "CUDA=12.5"}), "'cuda' is given twice");
  EXPECT_EQ(Wrong({"cuda=twelve"}), "'twelve' is not a version of cuda");
  EXPECT_EQ(Wrong({"platform=macos"}), "platform is linux, windows, linux-aarch64 or wsl, not 'macos'");
  EXPECT_TRUE(Wrong({"gpu=Voodoo 2"}).starts_with("the GPU 'Voodoo 2' is not in the table"));
  EXPECT_TRUE(Wrong({"colour=blue"}).starts_with("unknown key 'colour'"));
}

}  // namespace
}  // namespace culprit::compat
