#include "knowledge/packages/release.h"

#include <gtest/gtest.h>

namespace culprit::knowledge {
namespace {

std::string Capability(std::string_view text) {
  const auto version = ParseCapability(text);
  return version ? version->ToString() : "";
}

TEST(Release, APrefixIsComparedByWholeParts) {
  EXPECT_TRUE(BeginsWith(Known("12.4.1"), Known("12.4")));
  EXPECT_TRUE(BeginsWith(Known("12.4.1"), Known("12")));
  EXPECT_FALSE(BeginsWith(Known("12.40"), Known("12.4")));
  EXPECT_FALSE(BeginsWith(Known("12"), Known("12.4")));
}

TEST(Release, ReadsEverySpellingOfACapability) {
  EXPECT_EQ(Capability("9.0"), "9.0");
  EXPECT_EQ(Capability("sm_90"), "9.0");
  EXPECT_EQ(Capability("sm_90a"), "9.0");
  EXPECT_EQ(Capability("compute_120"), "12.0");
  EXPECT_EQ(Capability("103f"), "10.3");
  EXPECT_EQ(Capability("61"), "6.1");
}

TEST(Release, RefusesWhatIsNoCapability) {
  for (const char* text : {"", "sm_", "sm_9", "sm_9.0", "9", "9.0.1", "1234", "RTX 4090", "sm_90x"}) {
    EXPECT_EQ(Capability(text), "") << text;
  }
}

}  // namespace
}  // namespace culprit::knowledge
