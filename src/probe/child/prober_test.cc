// The parts of culprit-probe that need no library of CUDA's. What it does with them is shown with fake ones
// in tests/probe.
#include <gtest/gtest.h>

#include <cmath>

#include "probe/child/arguments.h"
#include "probe/child/on_host.h"
#include "probe/child/pattern.h"
#include "probe/child/teller.h"

namespace culprit::prober {
namespace {

TEST(Arguments, OfACudnnJob) {
  const auto arguments = ParseArguments({"cudnn", "--device", "2", "--cudnn", "/x/libcudnn.so.9", "--preload",
                                         "/x/a.so", "--preload", "/x/b.so", "--only", "cudnn-create"});
  ASSERT_TRUE(arguments) << arguments.error();
  EXPECT_EQ(arguments->device, 2);
  EXPECT_EQ(arguments->cudnn, "/x/libcudnn.so.9");
  EXPECT_EQ(arguments->preload, (std::vector<std::string>{"/x/a.so", "/x/b.so"}));
  EXPECT_TRUE(arguments->Wants(probe::StepName::kCudnnCreate));
  EXPECT_FALSE(arguments->Wants(probe::StepName::kCudnnLoad));
}

TEST(Arguments, WhatIsWrongIsRefusedByName) {
  const auto problem = [](std::vector<std::string> words) {
    const auto arguments = ParseArguments(words);
    return arguments ? "" : arguments.error();
  };
  EXPECT_EQ(problem({}), "name a job: driver, runtime or cudnn");
  EXPECT_EQ(problem({"paint"}), "the first word must be driver, runtime or cudnn, not paint");
  EXPECT_EQ(problem({"driver", "--device", "1x"}), "--device takes a number, not 1x");
  EXPECT_EQ(problem({"driver", "--device", "-1"}), "--device takes a number, not -1");
  EXPECT_EQ(problem({"driver", "--device"}), "--device has no value, or is not an option");
  EXPECT_EQ(problem({"driver", "--only", "cudnn-load"}), "not a step of this job: cudnn-load");
  EXPECT_EQ(problem({"driver", "--cudnn", "x"}), "unknown option: --cudnn");
  EXPECT_EQ(problem({"cudnn"}), "cudnn needs --cudnn FILE");
}

TEST(Teller, NamesOfCudaLibraries) {
#ifndef _WIN32
  for (const char* name : {"libcuda.so.1", "libcudnn_ops.so.9", "libnvidia-ml.so.1", "libcublasLt.so.13"}) {
    EXPECT_TRUE(IsCudaLibrary(name)) << name;
  }
  for (const char* name : {"libc.so.6", "libstdc++.so.6", "libcrypt.so.1", "ld-linux-x86-64.so.2"}) {
    EXPECT_FALSE(IsCudaLibrary(name)) << name;
  }
#endif
}

TEST(Teller, FiguresAreShort) {
  EXPECT_EQ(Short(2.1234e-7), "2.12e-07");
  EXPECT_EQ(Short(24.31), "24.3");
}

TEST(Pattern, DiffersByPlaceAndSeedAndIsTheSameEachTime) {
  const auto pattern = Pattern(1000, 1);
  EXPECT_EQ(pattern, Pattern(1000, 1));
  EXPECT_NE(pattern, Pattern(1000, 2));
  EXPECT_NE(pattern[1], pattern[2]);
  for (const float value : FloatPattern(1000, 3)) EXPECT_LE(std::abs(value), 1.0F);
}

TEST(Pattern, OneChangedBitIsFound) {
  const auto sent = Pattern(1000, 1);
  auto received = sent;
  EXPECT_EQ(Difference(sent, received), "");
  EXPECT_EQ(Checksum(sent), Checksum(received));
  received[412] ^= 1U << 31;
  EXPECT_NE(Checksum(sent), Checksum(received));
  EXPECT_TRUE(Difference(sent, received).starts_with("1 of 1000 words differ, the first at 412: "))
      << Difference(sent, received);
  received.pop_back();
  EXPECT_EQ(Difference(sent, received), "the number of words read back differs from the number sent");
}

TEST(RelativeError, IsOfTheLargestValueAndNeverHidesWhatIsNoNumber) {
  EXPECT_DOUBLE_EQ(RelativeError(std::vector{1.0F, -4.0F}, std::vector{1.0F, -3.0F}), 0.25);
  EXPECT_TRUE(std::isinf(RelativeError(std::vector{1.0F, 2.0F}, std::vector{1.0F, std::nanf("")})));
  EXPECT_TRUE(std::isinf(RelativeError(std::vector{1.0F, 2.0F}, std::vector{1.0F})));
}

// By columns: [1 3; 2 4] * [5 7; 6 8] = [23 31; 34 46].
TEST(OnHost, ProductOfMatricesByColumns) {
  EXPECT_EQ(MatrixProduct({1, 2, 3, 4}, {5, 6, 7, 8}, 2), (std::vector<float>{23, 34, 31, 46}));
}

constexpr ConvolutionShape kSmall{1, 1, 3, 3, 1, 3, 1};
const std::vector<float> kImage = {1, 2, 3, 4, 5, 6, 7, 8, 9};

TEST(OnHost, ConvolutionIsNotMirroredAndHasZerosAround) {
  // Only the place above right: the result is the image moved down and to the left.
  const std::vector<float> above_right = {0, 0, 1, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(Convolve(kSmall, kImage, above_right), (std::vector<float>{0, 0, 0, 2, 3, 0, 5, 6, 0}));
  const std::vector<float> ones(9, 1);
  EXPECT_EQ(Convolve(kSmall, kImage, ones), (std::vector<float>{12, 21, 16, 27, 45, 33, 24, 39, 28}));
}

// <conv(x, w), g> = <x, back(w, g)> = <w, back(x, g)>: holds for the right directions only.
TEST(OnHost, TheWaysBackBelongToTheWayForward) {
  const ConvolutionShape shape{2, 3, 5, 4, 2, 3, 1};
  const auto image = FloatPattern(shape.ImageSize(), 1), filter = FloatPattern(shape.FilterSize(), 2),
             gradient = FloatPattern(shape.ResultSize(), 3);
  const auto dot = [](const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * double{b[i]};
    return sum;
  };
  const double forward = dot(Convolve(shape, image, filter), gradient);
  EXPECT_GT(std::abs(forward), 0.1);
  EXPECT_NEAR(forward, dot(image, ConvolveBackToImage(shape, filter, gradient)), 1e-4);
  EXPECT_NEAR(forward, dot(filter, ConvolveBackToFilter(shape, image, gradient)), 1e-4);
}

}  // namespace
}  // namespace culprit::prober
