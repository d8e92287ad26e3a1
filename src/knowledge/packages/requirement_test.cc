// What an image requires of the driver.
#include "knowledge/packages/requirement.h"

#include <gtest/gtest.h>

namespace culprit::knowledge {
namespace {

RequirementFacts Host(const char* cuda, const char* driver, const char* brand) {
  return {.cuda = base::Version::Parse(cuda), .driver = base::Version::Parse(driver), .brand = brand};
}

constexpr const char* kImage =
    "cuda>=12.4 brand=tesla,driver>=470,driver<471 brand=tesla,driver>=535,driver<536";

TEST(Requirement, OneAlternativeIsEnough) {
  EXPECT_EQ(EvaluateRequirement(kImage, Host("12.8", "570.1", "geforce")), Met::kYes);
  EXPECT_EQ(EvaluateRequirement(kImage, Host("12.2", "535.104.05", "tesla")), Met::kYes);
  EXPECT_EQ(EvaluateRequirement(kImage, Host("12.2", "535.104.05", "geforce")), Met::kNo);
  EXPECT_EQ(EvaluateRequirement(kImage, Host("12.0", "525.60", "tesla")), Met::kNo);
}

TEST(Requirement, WhatIsNotKnownStaysUnknownUnlessItCannotMatter) {
  EXPECT_EQ(EvaluateRequirement(kImage, Host("12.2", "535.104.05", "")), Met::kUnknown);
  EXPECT_EQ(EvaluateRequirement(kImage, Host("12.0", "525.60", "")), Met::kNo);
  EXPECT_EQ(EvaluateRequirement("cuda>=12.4", {}), Met::kUnknown);
}

TEST(Requirement, DriverBeyondTheTableSupportsAtLeastItsLastRelease) {
  RequirementFacts facts = Host("13.3", "700.1", "");
  facts.cuda_at_least = true;
  EXPECT_EQ(EvaluateRequirement("cuda>=13.0", facts), Met::kYes);
  EXPECT_EQ(EvaluateRequirement("cuda>=14.0", facts), Met::kUnknown);
  EXPECT_EQ(EvaluateRequirement("cuda<13.0", facts), Met::kNo);
}

TEST(Requirement, UnknownPropertiesAndNothingAtAllAreMet) {
  EXPECT_EQ(EvaluateRequirement("", {}), Met::kYes);
  EXPECT_EQ(EvaluateRequirement("colour=blue", {}), Met::kYes);
  EXPECT_EQ(EvaluateRequirement("arch>=7.0", {.arch = base::Version::Parse("6.1")}), Met::kNo);
}

}  // namespace
}  // namespace culprit::knowledge
