// What every document does to foreign characters.
#include "render/document.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace culprit::render {
namespace {

TEST(JsonDocument, ShowsInvisibleCharactersAndKeepsTheValue) {
  const base::Json json = {{"name", "a\u202Eb\u2028\u0085\x7f\U000E0041 \u00E9"}};
  const std::string text = JsonDocument(json);
  EXPECT_EQ(text, "{\n  \"name\": \"a\\u202eb\\u2028\\u0085\\u007f\\udb40\\udc41 \u00E9\"\n}\n");
  EXPECT_EQ(base::Json::parse(text), json);
}

}  // namespace
}  // namespace culprit::render
