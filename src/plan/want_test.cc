// ParseWant: what users type, well and badly.
#include <gtest/gtest.h>

#include "plan/question.h"

namespace culprit::plan {
namespace {

TEST(ParseWant, TakesNameBoundsAndExtraApart) {
  const auto want = ParseWant(" jax[cuda12] >=0.4, <0.6 ");
  ASSERT_TRUE(want);
  EXPECT_EQ(want->name, "jax");
  EXPECT_EQ(want->extra, "cuda12");
  EXPECT_EQ(want->specifiers, ">=0.4,<0.6");
  EXPECT_EQ(want->text, "jax[cuda12] >=0.4, <0.6");
}

TEST(ParseWant, KnowsOtherNames) {
  EXPECT_EQ(ParseWant("pytorch")->name, "torch");
  EXPECT_EQ(ParseWant("onnxruntime-gpu")->name, "onnxruntime");
  EXPECT_EQ(ParseWant("cuda-toolkit==12.*")->name, "cuda");
  EXPECT_EQ(ParseWant("TorchVision")->name, "torchvision");
  EXPECT_EQ(ParseWant("cupy-cuda12x")->extra, "cuda12x");
}

TEST(ParseWant, NamesWhatComesNear) {
  const auto want = ParseWant("tensorflw");
  ASSERT_FALSE(want);
  EXPECT_NE(want.error().message.find("tensorflow"), std::string::npos) << want.error().message;
}

TEST(ParseWant, RejectsWhatIsNoBound) {
  EXPECT_FALSE(ParseWant("torch=2.1"));
  EXPECT_FALSE(ParseWant("torch>=2.1,"));
  EXPECT_FALSE(ParseWant("torch 2.1"));
  EXPECT_FALSE(ParseWant("jax[cuda12"));
  EXPECT_FALSE(ParseWant(""));
  EXPECT_FALSE(ParseWant("==2"));
}

TEST(ParseWant, MakesForeignBytesSafe) {
  const auto want = ParseWant("torch=\x1b[31m");
  ASSERT_FALSE(want);
  EXPECT_EQ(want.error().message.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace culprit::plan
