#include "base/text.h"

#include <gtest/gtest.h>

#include "base/demangle.h"

namespace culprit::base {
namespace {

using Words = std::vector<std::string>;

TEST(Text, SplitKeepsEmptyElements) {
  EXPECT_EQ(Split("a::b:", ':'), (Words{"a", "", "b", ""}));
  EXPECT_EQ(Split("", ':'), (Words{""}));
}

TEST(Text, SplitWordsDropsEmptyElements) {
  EXPECT_EQ(SplitWords(" a  b:c ", " :"), (Words{"a", "b", "c"}));
  EXPECT_EQ(SplitWords("", " "), Words{});
}

TEST(Text, PathsAreTakenApart) {
  EXPECT_EQ(DirName("/a/b"), "/a");
  EXPECT_EQ(DirName("/a"), "/");
  EXPECT_EQ(DirName("a"), "");
  EXPECT_EQ(BaseName("/a/b"), "b");
  EXPECT_EQ(JoinPath("/a/", "b"), "/a/b");
  EXPECT_EQ(JoinPath("/a", "/b"), "/b");
  EXPECT_EQ(CleanPath("//a/./b/../c/"), "/a/b/../c");
  EXPECT_EQ(CleanPath("/"), "/");
}

TEST(Text, PrintableLeavesTextAndEscapesControlBytes) {
  EXPECT_EQ(Printable("naïve ✓"), "naïve ✓");
  EXPECT_EQ(Printable("a\x1b[31mb\n"), "a\\x1b[31mb\\x0a");
  EXPECT_EQ(Printable("\xff\xc0\xaf"), "\\xff\\xc0\\xaf");
  EXPECT_EQ(Printable("\xc2\x9b"), "\\xc2\\x9b");  // C1 control sequence introducer
}

TEST(Text, PrintableShowsWhatReordersOrBreaksLines) {
  EXPECT_EQ(Printable("a\u202Eb\u2066c\u200F\u061C"), "a\\u{202e}b\\u{2066}c\\u{200f}\\u{61c}");
  EXPECT_EQ(Printable("a\u2028b\u2029"), "a\\u{2028}b\\u{2029}");
  EXPECT_EQ(Printable("\U000E0041\uFEFF"), "\\u{e0041}\\u{feff}");
  EXPECT_EQ(Printable("\u05D0 \u00E9 \U0001F600"), "\u05D0 \u00E9 \U0001F600");
}

TEST(ReadableFunction, SymbolsOfKernels) {
  EXPECT_EQ(ReadableFunction("_Z5StorePii"), "Store(int*, int)");
  EXPECT_EQ(ReadableFunction("cudaMalloc"), "cudaMalloc");
  EXPECT_EQ(ReadableFunction("_Z"), "_Z");
  EXPECT_EQ(ReadableFunction("_ZN2at6native13reduce_kernelILi512ENS0_2OpILi4ENS2_ILi3ENS2"
                             "_ILi2ENS0_33sum_functor_of_a_rather_long_nameEEEEEEEEEvT0_Pi"),
            "at::native::reduce_kernel<...>");
}

}  // namespace
}  // namespace culprit::base
