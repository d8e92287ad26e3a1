#include "snapshot/json/parse_json.h"

#include <gtest/gtest.h>

namespace culprit::snapshot {
namespace {

using base::ErrorCode;

std::string Repeat(std::string_view text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += text;
  return all;
}

TEST(ParseJson, GivesWhatTheLibraryGives) {
  for (const char* text : {"null", "true", "-5", "18446744073709551615", "1.5", "\"\\u00e9\"", "[]", "{}",
                           R"({"b": [1, {"x": []}, "s"], "a": {"c": null}})"}) {
    const auto json = ParseJson(text);
    ASSERT_TRUE(json) << text;
    EXPECT_EQ(*json, base::Json::parse(text)) << text;
  }
}

TEST(ParseJson, TellsWhereTheTextGoesWrong) {
  EXPECT_EQ(ParseJson("").error().message, "JSON ends unexpectedly after byte 1");
  EXPECT_EQ(ParseJson("[1,").error().message, "JSON ends unexpectedly after byte 4");
  EXPECT_EQ(ParseJson("[1, x]").error().message, "invalid JSON at byte 5");
  EXPECT_EQ(ParseJson("{} {}").error().message, "invalid JSON at byte 4");
  for (const char* text : {"\"\xff\"", "{1: 2}", "[1e999]", "\"\\ud800\"", "nul", "\"\n\""}) {
    const auto json = ParseJson(text);
    ASSERT_FALSE(json) << text;
    EXPECT_EQ(json.error().code, ErrorCode::kBadFormat);
  }
}

TEST(ParseJson, RefusesWhatIsNestedTooDeep) {
  EXPECT_TRUE(ParseJson(Repeat("[", 64) + Repeat("]", 64)));
  EXPECT_EQ(ParseJson(Repeat("[", 65) + Repeat("]", 65)).error().message, "JSON nested deeper than 64");
  EXPECT_EQ(ParseJson(Repeat("{\"a\":", 1'000'000)).error().message, "JSON nested deeper than 64");
}

TEST(ParseJson, RefusesTooManyValuesAndTooManyBytes) {
  const auto many = ParseJson("[1, 2, 3]", {.values = 3});
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(many.error().message, "JSON with more values than 3");
  EXPECT_TRUE(ParseJson("[1, 2, 3]", {.values = 4}));
  const auto large = ParseJson("\"" + std::string(2 << 20, 'x') + "\"", {.bytes = 1 << 20});
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(large.error().message, "JSON of more than 1 MiB");
}

TEST(ParseJson, ObjectWithManyKeysTakesNoQuadraticTime) {
  std::string text = "{";
  for (int i = 0; i < 300'000; ++i) text += "\"" + std::to_string(i) + "\":0,";
  text.back() = '}';
  const auto json = ParseJson(text);  // minutes, if each key were looked for among the others
  ASSERT_TRUE(json);
  EXPECT_EQ(json->size(), 300'000u);
}

}  // namespace
}  // namespace culprit::snapshot
