#include "base/node_set.h"

#include <gtest/gtest.h>

namespace culprit::base {
namespace {

using Names = std::vector<std::string>;

TEST(NodeSet, FoldsNumbersAndKeepsWidths) {
  EXPECT_EQ(FoldNodes({"n003", "n001", "n002", "n010"}), "n[001-003,010]");
  EXPECT_EQ(FoldNodes({"n9", "n10", "n11"}), "n[9-11]");
  EXPECT_EQ(FoldNodes({"n099", "n100", "n101"}), "n[099-101]");
  EXPECT_EQ(FoldNodes({"login", "gpu7.rack2", "gpu8.rack2"}), "gpu7.rack2,gpu8.rack2,login");
  EXPECT_EQ(FoldNodes({"r2-gpu7", "r2-gpu8", "r3-gpu8"}), "r2-gpu[7-8],r3-gpu8");
  EXPECT_EQ(FoldNodes({"a1", "a1"}), "a1");
  EXPECT_EQ(FoldNodes({}), "");
}

TEST(NodeSet, UnfoldsWhatItFolds) {
  for (const Names& names :
       {Names{"n1", "n01", "n001", "n2", "n02"}, Names{"a9", "a10", "a099", "a100"},
        Names{"x", "x1y", "x2y", "x03y"}, Names{"n98", "n99", "n100", "n101", "n0100"}}) {
    const auto back = UnfoldNodes(FoldNodes(names));
    ASSERT_TRUE(back) << FoldNodes(names);
    EXPECT_EQ(SortedNodes(*back), SortedNodes(names)) << FoldNodes(names);
  }
}

TEST(NodeSet, ReadsWhatPeopleWrite) {
  EXPECT_EQ(UnfoldNodes("r[1-2]n[08-10],login").value(),
            (Names{"r1n08", "r1n09", "r1n10", "r2n08", "r2n09", "r2n10", "login"}));
  EXPECT_EQ(UnfoldNodes("a[1,3-4]-ib").value(), (Names{"a1-ib", "a3-ib", "a4-ib"}));
}

TEST(NodeSet, FoldsNumbers) {
  EXPECT_EQ(FoldNumbers({19, 3, 17, 18, 3}), "3,17-19");
  EXPECT_EQ(FoldNumbers({9, 10, 11, 100}), "9-11,100");
  EXPECT_EQ(FoldNumbers({}), "");
}

TEST(NodeSet, RefusesWhatIsNoList) {
  for (const char* text : {"", ",", "n[1-", "n]1", "n[a-b]", "n[1-99999999]", "n[1-2-3]"})
    EXPECT_FALSE(UnfoldNodes(text)) << text;
}

}  // namespace
}  // namespace culprit::base
