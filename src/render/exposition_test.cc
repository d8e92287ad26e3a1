#include "render/exposition.h"

#include <gtest/gtest.h>

namespace culprit::render {
namespace {

std::string Series(std::string_view value) {
  Exposition metrics;
  metrics.Begin("m", "Help.");
  metrics.Add({{"l", value}}, 7);
  const std::string text = metrics.Take();
  const size_t at = text.find("\nm{");
  return text.substr(at + 1, text.find('\n', at + 1) - at - 1);
}

TEST(Exposition, EscapesWhatEndsALabel) {
  EXPECT_EQ(Series("a\"b\\c"), "m{l=\"a\\\"b\\\\c\"} 7");
  EXPECT_EQ(Series("a\nb\r\xFF"), "m{l=\"a\\\\x0ab\\\\x0d\\\\xff\"} 7");
  EXPECT_EQ(Series("\xC3\xBC"), "m{l=\"\xC3\xBC\"} 7");
}

TEST(Exposition, CutsLongValues) {
  const std::string cut = Series(std::string(1000, 'x'));
  EXPECT_EQ(cut, "m{l=\"" + std::string(Exposition::kLongestLabel, 'x') + "...\"} 7");
  // A character that is cut is no longer one.
  EXPECT_NE(Series(std::string(Exposition::kLongestLabel - 1, 'x') + "\xC3\xBC").find("x\\\\xc3..."),
            std::string::npos);
}

TEST(Exposition, WritesNoSeriesTwice) {
  Exposition metrics;
  metrics.Begin("m", "Help.");
  for (const int length : {200, 201}) metrics.Add({{"l", std::string(static_cast<size_t>(length), 'x')}}, 1);
  const std::string text = metrics.Take();
  EXPECT_EQ(text.find("\nm{"), text.rfind("\nm{"));
}

TEST(Exposition, CountsWhatHasNoRoom) {
  Exposition metrics;
  metrics.Begin("m", "Help.");
  for (size_t i = 0; i < Exposition::kMostSeries + 5; ++i) metrics.Add({{"l", std::to_string(i)}}, 1);
  const std::string text = metrics.Take();
  EXPECT_TRUE(text.ends_with("\nculprit_series_left_out 5\n")) << text.substr(text.size() - 100);
}

TEST(Exposition, DescribesOnlyWhatHasSeries) {
  Exposition metrics;
  metrics.Begin("none", "Help.");
  metrics.Single("one", "Help.", 1);
  const std::string text = metrics.Take();
  EXPECT_EQ(text.find("none"), std::string::npos);
  EXPECT_NE(text.find("\n# HELP one Help.\n# TYPE one gauge\none 1\n"), std::string::npos);
}

}  // namespace
}  // namespace culprit::render
