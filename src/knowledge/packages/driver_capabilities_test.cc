// The words of NVIDIA_DRIVER_CAPABILITIES.
#include "knowledge/packages/driver_capabilities.h"

#include <gtest/gtest.h>

namespace culprit::knowledge {
namespace {

using enum DriverCapability;

TEST(DriverCapabilities, TheDefaultIsComputeAndUtility) {
  const auto capabilities = ReadDriverCapabilities("");
  EXPECT_TRUE(capabilities.Has(kCompute));
  EXPECT_TRUE(capabilities.Has(kUtility));
  EXPECT_FALSE(capabilities.Has(kVideo));
}

TEST(DriverCapabilities, AllIsEverythingWhateverStandsBesideIt) {
  const auto capabilities = ReadDriverCapabilities("gpu,all");
  EXPECT_TRUE(capabilities.Has(kNgx));
  EXPECT_TRUE(capabilities.unknown.empty());
}

TEST(DriverCapabilities, WordsAreTrimmedAndUnknownOnesAreTold) {
  const auto capabilities = ReadDriverCapabilities(" compute , gpu,");
  EXPECT_TRUE(capabilities.Has(kCompute));
  EXPECT_FALSE(capabilities.Has(kUtility));
  EXPECT_EQ(capabilities.unknown, std::vector<std::string>{"gpu"});
  EXPECT_FALSE(ReadDriverCapabilities(" ").Has(kCompute)) << "not empty, and nothing in it";
}

}  // namespace
}  // namespace culprit::knowledge
