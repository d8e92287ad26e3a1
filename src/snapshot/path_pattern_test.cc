#include "snapshot/path_pattern.h"

#include <gtest/gtest.h>

namespace culprit::snapshot {
namespace {

TEST(PathPattern, AStarStandsForAnyRun) {
  EXPECT_TRUE(MatchesPattern("cuda-13.0", "cuda*"));
  EXPECT_TRUE(MatchesPattern("cuda", "cuda*"));
  EXPECT_TRUE(MatchesPattern("x86_64-linux-gnu", "*-linux-*"));
  EXPECT_TRUE(MatchesPattern("abab", "*ab"));
  EXPECT_FALSE(MatchesPattern("mycuda", "cuda*"));
  EXPECT_FALSE(MatchesPattern("cud", "cuda*"));
  EXPECT_FALSE(MatchesPattern("cuda", "cuda?"));
}

TEST(PathPattern, ManyStarsDoNotTakeForever) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "a*";
  EXPECT_FALSE(MatchesPattern(std::string(4000, 'a') + "b", pattern + "c"));
}

}  // namespace
}  // namespace culprit::snapshot
