// What an image requires of the driver: the strings of NVIDIA's images, and what is not known.
#include "knowledge/packages/requirement.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace culprit::knowledge {
namespace {

RequirementFacts Host(const char* cuda, const char* driver, const char* gpu, const char* arch = "") {
  const auto capability = base::Version::Parse(arch);
  return {.cuda = base::Version::Parse(cuda),
          .driver = base::Version::Parse(driver),
          .gpus = {{capability, BrandsOf(gpu, capability)}}};
}

Met Evaluate(std::string_view text, const RequirementFacts& facts) {
  return EvaluateRequirement(text, facts).met;
}

// NVIDIA_REQUIRE_CUDA of nvidia/cuda: the same brands for each branch
// (gitlab.com/nvidia/container-images/cuda, dist/12.4.1 and dist/12.8.0, ubuntu2204/base/Dockerfile).
std::string OfImage(const std::string& first, const std::vector<std::string>& brands,
                    const std::vector<int>& branches) {
  std::string text = first;
  for (const int branch : branches) {
    for (const std::string& brand : brands) {
      text +=
          " brand=" + brand + ",driver>=" + std::to_string(branch) + ",driver<" + std::to_string(branch + 1);
    }
  }
  return text;
}
const std::string kCuda124 = OfImage("cuda>=12.4",
                                     {"tesla", "unknown", "nvidia", "nvidiartx", "geforce", "geforcertx",
                                      "quadro", "quadrortx", "titan", "titanrtx"},
                                     {470, 525, 535});
const std::string kCuda128 = OfImage("cuda>=12.8",
                                     {"unknown", "grid", "tesla", "nvidia", "quadro", "quadrortx",
                                      "nvidiartx", "vapps", "vpc", "vcs", "vws", "cloudgaming"},
                                     {470, 535, 550, 560, 565});

TEST(Requirement, OneAlternativeIsEnough) {
  EXPECT_EQ(Evaluate(kCuda128, Host("12.8", "570.86.15", "NVIDIA GeForce RTX 4090")), Met::kYes);
  EXPECT_EQ(Evaluate(kCuda128, Host("12.2", "535.183.01", "NVIDIA L4", "8.9")), Met::kYes);
  EXPECT_EQ(Evaluate(kCuda128, Host("12.2", "535.183.01", "RTX 4090", "8.9")), Met::kNo);
  EXPECT_EQ(Evaluate(kCuda128, Host("12.3", "545.23.08", "NVIDIA L4", "8.9")), Met::kNo);
  EXPECT_EQ(Evaluate(kCuda124, Host("12.2", "535.183.01", "RTX 4090", "8.9")), Met::kYes);
  EXPECT_EQ(Evaluate(kCuda124, Host("12.3", "545.23.08", "Tesla T4", "7.5")), Met::kNo);
}

TEST(Requirement, BrandThatIsNotKnownCountsWhereItDecides) {
  EXPECT_EQ(Evaluate(kCuda128, Host("12.2", "535.104.05", "", "8.9")), Met::kUnknown);
  EXPECT_EQ(Evaluate(kCuda128, Host("12.2", "535.104.05", "", "9.0")), Met::kYes)
      << "all are data-centre GPUs";
  EXPECT_EQ(Evaluate(kCuda128, Host("12.3", "545.23.08", "", "8.9")), Met::kNo) << "no brand has this branch";
  EXPECT_EQ(Evaluate("brand=tesla brand!=tesla", Host("12.3", "545.23.08", "")), Met::kYes);
  EXPECT_EQ(Evaluate("cuda>=12.4", {}), Met::kUnknown);
}

TEST(Requirement, EveryGpuMustMeetIt) {
  RequirementFacts facts = Host("12.2", "535.183.01", "L4", "8.9");
  facts.gpus.push_back({base::Version::Parse("8.9"), BrandsOf("RTX 4090", base::Version::Parse("8.9"))});
  const RequirementAnswer answer = EvaluateRequirement(kCuda128, facts);
  EXPECT_EQ(answer.met, Met::kNo);
  EXPECT_EQ(answer.gpu, 1u);
  ASSERT_EQ(answer.alternatives.size(), 61u);
  EXPECT_EQ(answer.alternatives[0][0].text, "cuda>=12.8");
  EXPECT_EQ(answer.alternatives[0][0].met, Met::kNo);
}

TEST(Requirement, DriverBeyondTheTableSupportsAtLeastItsLastRelease) {
  RequirementFacts facts = Host("13.3", "700.1", "");
  facts.cuda_at_least = true;
  EXPECT_EQ(Evaluate("cuda>=13.0", facts), Met::kYes);
  EXPECT_EQ(Evaluate("cuda>=13.3", facts), Met::kYes);
  EXPECT_EQ(Evaluate("cuda>=14.0", facts), Met::kUnknown);
  EXPECT_EQ(Evaluate("cuda<13.0", facts), Met::kNo);
  EXPECT_EQ(Evaluate("cuda<13.3", facts), Met::kNo);
  EXPECT_EQ(Evaluate("cuda!=12.0", facts), Met::kYes);
}

TEST(Requirement, ConditionsThatNobodyKnowsAreCouldNotTell) {
  const RequirementFacts host = Host("12.2", "535.104.05", "L4", "8.9");
  for (const char* text : {"colour=blue", "cuda", "cuda=>12.0", "cuda==12.2", "cuda>=", ">=12", "cuda>=12.x",
                           "brand>tesla", "driver>=535,colour=blue"}) {
    const RequirementAnswer answer = EvaluateRequirement(text, host);
    EXPECT_EQ(answer.met, Met::kUnknown) << text;
    EXPECT_FALSE(answer.not_understood.empty()) << text;
  }
  EXPECT_EQ(Evaluate("cuda>=12.0 colour=blue", host), Met::kYes) << "the runtime does not come to it";
  EXPECT_EQ(Evaluate("driver>=550,colour=blue", host), Met::kNo);
  EXPECT_EQ(Evaluate("driver>=550,colour=blue driver>=535", host), Met::kYes);
  EXPECT_EQ(Evaluate("", {}), Met::kYes);
  EXPECT_EQ(Evaluate(" , ", {}), Met::kYes);
  EXPECT_EQ(Evaluate("CUDA>=12.0,Brand=NVIDIA", Host("12.2", "535.104.05", "", "")), Met::kUnknown);
}

TEST(Requirement, VersionsAreComparedAsNumbers) {
  EXPECT_EQ(Evaluate("driver>=535.104.5,driver<=535.104.05", Host("12.2", "535.104.05", "")), Met::kYes);
  EXPECT_EQ(Evaluate("cuda=12.2.0", Host("12.2", "535.104.05", "")), Met::kYes);
  EXPECT_EQ(Evaluate("driver<535", Host("12.2", "535.104.05", "")), Met::kNo);
  EXPECT_EQ(Evaluate("arch>=7.0", Host("12.2", "535.104.05", "", "6.1")), Met::kNo);
}

TEST(Requirement, SwitchesAreReadAsTheToolkitReadsThem) {
  for (const char* on : {"1", "t", "true", "TRUE", "True"}) EXPECT_TRUE(IsTrueForToolkit(on));
  for (const char* off : {"", "0", "yes", "on", "tRUE", "false"}) EXPECT_FALSE(IsTrueForToolkit(off));
}

}  // namespace
}  // namespace culprit::knowledge
