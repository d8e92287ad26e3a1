#include "plan/universe/narrow.h"

#include <gtest/gtest.h>

#include "plan/choose.h"
#include "plan/conflict/conflict_graph.h"
#include "plan/universe/exclusions.h"

namespace culprit::plan {
namespace {

Candidate Made(uint32_t version, std::vector<Need> needs = {}) {
  return {.version = std::to_string(version), .number = base::Version{{version}}, .needs = std::move(needs)};
}
Need Of(size_t package, std::vector<size_t> accepts, std::string words) {
  return {.package = package, .accepts = std::move(accepts), .words = words, .fails = words};
}

// app 3, 2, 1 need the library 2, 1, 1; the host has library 1 alone.
Universe AppOnLibrary() {
  Universe universe;
  universe.packages = {
      {"library", PackageRole::kLibrary, {Made(1)}},
      {"app",
       PackageRole::kFramework,
       {Made(3, {Of(0, {}, "needs library 2")}), Made(2, {Of(0, {0}, "")}), Made(1, {Of(0, {0}, "")})}}};
  universe.wants = {1};
  universe.roots = {{1, {0, 1, 2}, "app"}};
  return universe;
}

TEST(Narrow, ExcludesWhatLacksItsNeed) {
  const Universe universe = AppOnLibrary();
  const Narrowed narrowed = Narrow(universe, universe.roots);
  EXPECT_EQ(narrowed.left[1], (Marks{0, 1, 1}));
  EXPECT_EQ(narrowed.why[1][0].kind, Exclusion::Kind::kNeed);
  EXPECT_TRUE(narrowed.required[0]);
  EXPECT_EQ(narrowed.empty, kNone);
}

TEST(Narrow, FindsTwoThatPushEachOtherOut) {
  Universe universe;
  universe.packages = {
      {"major", PackageRole::kNone, {Made(9), Made(8)}},
      {"a", PackageRole::kFramework, {Made(2, {Of(0, {0}, "uses 9")}), Made(1, {Of(0, {0}, "uses 9")})}},
      {"b", PackageRole::kFramework, {Made(1, {Of(0, {1}, "uses 8")})}}};
  universe.roots = {{1, {0, 1}, "a"}, {2, {0}, "b"}};
  EXPECT_NE(Narrow(universe, universe.roots).empty, kNone);
  EXPECT_FALSE(CanChoose(universe));
  std::string told;
  for (const ConflictNode& node : Simplify(GraphOf(universe))) told += node.text + "\n";
  EXPECT_EQ(told, "b 1: uses 8\na 1 to 2: uses 9\n");
}

TEST(Choose, TakesTheNewestThatFits) {
  const Universe universe = AppOnLibrary();
  const auto choice = Choose(universe);
  ASSERT_TRUE(choice);
  EXPECT_EQ((*choice)[1], 1U);
  EXPECT_EQ((*choice)[0], 0U);
}

// x and y agree on 1 of three colours in pairs only: no single need excludes anything, the solver decides.
TEST(Choose, SeesWhatNoSingleNeedShows) {
  Universe universe;
  const auto colour = [](size_t other, size_t own) {
    return Of(other, {own == 0 ? 1U : 0U}, "another colour");
  };
  universe.packages = {{"a", PackageRole::kFramework, {}},
                       {"b", PackageRole::kFramework, {}},
                       {"c", PackageRole::kFramework, {}}};
  for (size_t p = 0; p < 3; ++p) {
    for (size_t own = 0; own < 2; ++own) {
      std::vector<Need> needs;
      for (size_t other = 0; other < 3; ++other) {
        if (other != p) needs.push_back(colour(other, own));
      }
      universe.packages[p].candidates.push_back(Made(static_cast<uint32_t>(2 - own), needs));
    }
  }
  universe.roots = {{0, {0, 1}, "a"}, {1, {0, 1}, "b"}, {2, {0, 1}, "c"}};
  EXPECT_EQ(Narrow(universe, universe.roots).empty, kNone);
  EXPECT_FALSE(CanChoose(universe));
  EXPECT_FALSE(GraphOf(universe).empty());
  universe.roots.pop_back();  // c is still needed by a and b
  EXPECT_FALSE(CanChoose(universe));
}

TEST(Exclusions, SayOneReasonOnceWithItsRange) {
  Universe universe;
  universe.packages = {{"gpu", PackageRole::kNone, {Made(1)}}, {"app", PackageRole::kFramework, {}}};
  for (uint32_t version = 6; version > 0; --version) {
    const bool fits = version == 3;
    universe.packages[1].candidates.push_back(
        Made(version, {fits ? Of(0, {0}, "") : Of(0, {}, "no code for sm_61")}));
  }
  universe.roots = {{1, {0, 1, 2, 3, 4, 5}, "app"}};
  const Narrowed narrowed = Narrow(universe, universe.roots);
  const auto groups = GroupExclusions(universe, narrowed, 1, {0, 1, 2, 3, 4, 5});
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].text, "no code for sm_61");
  EXPECT_EQ(RangeWords(universe, 1, groups[0].candidates), "app 1 to 2, 4 to 6");
}

}  // namespace
}  // namespace culprit::plan
