#include "base/version.h"

#include <gtest/gtest.h>

namespace culprit::base {
namespace {

TEST(Version, ComparesPartsAsNumbers) {
  EXPECT_GT(*Version::Parse("9.10"), *Version::Parse("9.9"));
  EXPECT_GT(*Version::Parse("580.159"), *Version::Parse("580.65.04"));
  EXPECT_EQ(*Version::Parse("9.1"), *Version::Parse("9.1.0"));
}

TEST(Version, RejectsWhatIsNoVersion) {
  for (const char* text : {"", ".", "1.", ".1", "1..2", "1.x", "v1", "-1", "99999999999"}) {
    EXPECT_FALSE(Version::Parse(text)) << text;
  }
}

TEST(Version, PrintsWhatItRead) { EXPECT_EQ(Version::Parse("9.19.0.56")->ToString(), "9.19.0.56"); }

}  // namespace
}  // namespace culprit::base
