#include "base/shell_word.h"

#include <gtest/gtest.h>

namespace culprit::base {
namespace {

using Words = std::vector<std::string>;

TEST(ShellWords, AreSplitAsAShellDoes) {
  EXPECT_EQ(SplitShellWords("").value(), Words());
  EXPECT_EQ(SplitShellWords("  -N16\t-p  gpu ").value(), (Words{"-N16", "-p", "gpu"}));
  EXPECT_EQ(SplitShellWords(R"(--comment='a b' "c d"e '' f\ g)").value(),
            (Words{"--comment=a b", "c de", "", "f g"}));
  EXPECT_EQ(SplitShellWords(R"("a\"b\c" '\')").value(), (Words{R"(a"b\c)", "\\"}));
}

TEST(ShellWords, AQuoteHasTwoHalves) {
  EXPECT_FALSE(SplitShellWords("'a"));
  EXPECT_FALSE(SplitShellWords("\"a"));
}

TEST(ShellWords, AreReadAsTheyWereWritten) {
  const Words words = {"a", "", "it's", "a b", "\"", "\\", "$x"};
  EXPECT_EQ(SplitShellWords(ShellWords(words)).value(), words);
}

}  // namespace
}  // namespace culprit::base
