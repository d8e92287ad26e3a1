// CUDA_VISIBLE_DEVICES is read as CUDA reads it.
#include "knowledge/visible_devices.h"

#include <gtest/gtest.h>

namespace culprit::knowledge {
namespace {

using Names = std::vector<std::string>;
const std::vector<NamedDevice> kTwo = {{"GPU-aa11"}, {"GPU-ab22"}};

TEST(VisibleDevices, NumbersCountUpToTheFirstThatIsNone) {
  EXPECT_EQ(ParseVisibleDevices("0,1", kTwo).entries, (Names{"0", "1"}));
  EXPECT_EQ(ParseVisibleDevices(" 1, 0", kTwo).entries, (Names{" 1", " 0"}));
  EXPECT_EQ(ParseVisibleDevices("0,-1,1", kTwo).entries, Names{"0"});
  EXPECT_EQ(ParseVisibleDevices("0,-1,1", kTwo).rejected, "-1");
  EXPECT_EQ(ParseVisibleDevices("1gpu,0x", kTwo).entries, (Names{"1gpu", "0x"}));
  EXPECT_TRUE(ParseVisibleDevices("cpu", kTwo).entries.empty());
  EXPECT_TRUE(ParseVisibleDevices("", kTwo).entries.empty());
}

TEST(VisibleDevices, NumberBeyondTheLastGpuEndsTheList) {
  EXPECT_EQ(ParseVisibleDevices("1,2", kTwo).entries, Names{"1"});
  EXPECT_EQ(ParseVisibleDevices("1,2", kTwo).why, "is beyond the last GPU, 1");
  EXPECT_EQ(ParseVisibleDevices("1,2", {}).entries, (Names{"1", "2"}));
}

TEST(VisibleDevices, RepeatedEntryEmptiesTheList) {
  EXPECT_TRUE(ParseVisibleDevices("0,1,0", kTwo).repeated);
  EXPECT_TRUE(ParseVisibleDevices("0,1,0", kTwo).entries.empty());
  EXPECT_TRUE(ParseVisibleDevices("GPU-aa,GPU-aa", kTwo).repeated);
}

TEST(VisibleDevices, UuidMayBeCutShortWhileItIsClear) {
  EXPECT_EQ(ParseVisibleDevices("GPU-ab", kTwo).entries, Names{"GPU-ab"});
  EXPECT_EQ(ParseVisibleDevices("GPU-a", kTwo).why, "matches several GPUs");
  EXPECT_EQ(ParseVisibleDevices("GPU-cc", kTwo).why, "is not a GPU of this machine");
  EXPECT_EQ(ParseVisibleDevices("GPU-aa,1", kTwo).entries, Names{"GPU-aa"});
}

TEST(VisibleDevices, WhatOnlyTheDriverKnowsIsUnsure) {
  EXPECT_TRUE(ParseVisibleDevices("MIG-1234", kTwo).unsure);
  EXPECT_TRUE(ParseVisibleDevices("GPU-cc", {{""}}).unsure);
  EXPECT_EQ(ParseVisibleDevices("GPU-cc", {{""}}).rejected, "");
}

}  // namespace
}  // namespace culprit::knowledge
