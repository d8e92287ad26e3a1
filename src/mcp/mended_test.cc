#include "mcp/mended.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace culprit::mcp {
namespace {

std::string Text(const std::string& message) {
  const base::Json parsed = base::Json::parse(Mended(message), nullptr, /*allow_exceptions=*/false);
  return parsed.is_string() ? parsed.get<std::string>() : "not JSON";
}

TEST(Mended, LeavesWhatIsRight) {
  for (const std::string text :
       {R"({"a": "\\ud83d \" \u00e9 \ud83d\ude00", "b": [1, "é 😀 €"]})", R"("\\")", R"({"a": "\)", ""})
    EXPECT_EQ(Mended(text), text);
}

TEST(Mended, ReplacesHalfOfAPair) {
  EXPECT_EQ(Text(R"("cut \ud83d")"), "cut \xEF\xBF\xBD");
  EXPECT_EQ(Text(R"("\ude00 low")"), "\xEF\xBF\xBD low");
  EXPECT_EQ(Text(R"("\ud83d\ud83d\ude00")"), "\xEF\xBF\xBD\xF0\x9F\x98\x80");
  EXPECT_EQ(Text(R"("\ud83d\n")"), "\xEF\xBF\xBD\n");
}

TEST(Mended, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(Text("\"\xFF\xFE oom\""), "\xEF\xBF\xBD\xEF\xBF\xBD oom");
  EXPECT_EQ(Text("\"Speicher \xFC"
                 "ber\""),
            "Speicher \xEF\xBF\xBD"
            "ber");
  for (const std::string wrong : {"\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE0\x80\x80", "\xE2\x82"})
    EXPECT_NE(Text("\"" + wrong + "\""), "not JSON") << wrong.size();
}

TEST(Mended, DoesNotMakeJsonOfWhatIsNone) {
  for (const std::string wrong : {R"("\x")", "{\"a\": }", R"("\ud8)"}) EXPECT_EQ(Text(wrong), "not JSON");
}

}  // namespace
}  // namespace culprit::mcp
