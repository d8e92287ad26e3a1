// What goes with one key: `compat cuda=12.4`.
#include <gtest/gtest.h>

#include <algorithm>

#include "compat/asked.h"

namespace culprit::compat {
namespace {

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

}  // namespace
}  // namespace culprit::compat
