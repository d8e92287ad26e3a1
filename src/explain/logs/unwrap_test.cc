#include "explain/logs/unwrap.h"

#include <gtest/gtest.h>

namespace culprit::logs {
namespace {

TEST(Unwrap, JoinsWhatAConsoleBrokeInsideAWord) {
  const std::string full(80, 'x');
  const auto ways = Unwrap("short\n" + full + "\nrest of it\n\nanother\n");
  ASSERT_FALSE(ways.empty());
  EXPECT_EQ(ways[0].text, "short\n" + full + "rest of it\n\nanother\n\n");
  EXPECT_EQ(ways[0].numbers, (std::vector<uint64_t>{1, 2, 4, 5, 6}));
}

TEST(Unwrap, JoinsWhatAMailProgramBrokeBetweenWords) {
  const std::string line = "the program ends with this long message which is";
  const auto ways = Unwrap(line + "\ncut here\n\n- a point\n");
  ASSERT_EQ(ways.size(), 1u);
  EXPECT_EQ(ways[0].text, line + " cut here\n\n- a point\n\n");
}

TEST(Unwrap, KnowsTheWidthByLinesOfOneLengthOrByAUsualOne) {
  const std::string odd(61, 'x');
  EXPECT_EQ(Unwrap(odd + "\nrest\n")[0].text, odd + " rest\n\n");  // one line of an odd length: only words
  EXPECT_EQ(Unwrap(odd + "\nrest\n" + odd + "\nrest\n")[0].text, odd + "rest\n" + odd + "rest\n\n");
}

TEST(Unwrap, JoinsTheParagraphsOfCmake) {
  const auto ways = Unwrap(
      "CMake Error at CMakeLists.txt:8 (add_executable):\n  Target \"a\" links to\n  "
      "target \"b\"\n\n  * one\n  * two\n");
  ASSERT_FALSE(ways.empty());
  EXPECT_EQ(ways[0].text,
            "CMake Error at CMakeLists.txt:8 (add_executable):\n  Target \"a\" links to target "
            "\"b\"\n\n  * one\n  * two\n\n");
  EXPECT_TRUE(ways[0].sure);
}

TEST(Unwrap, TakesAwayMarksOfCommentsBeforeEveryLine) {
  const auto ways = Unwrap("# a\n#\n# b\n# c\n# d\n# e\n");
  ASSERT_EQ(ways.size(), 1u);
  EXPECT_EQ(ways[0].text, "a\n#\nb\nc\nd\ne\n\n");
  EXPECT_TRUE(Unwrap("# a\nb\nc\n").empty());
}

TEST(Unwrap, LeavesShortLinesAlone) {
  EXPECT_TRUE(Unwrap("a\nb\nc\n").empty());
  EXPECT_TRUE(Unwrap("").empty());
}

}  // namespace
}  // namespace culprit::logs
