#include "snapshot/json/byte_text.h"

#include <gtest/gtest.h>

#include <random>

#include "base/json.h"

namespace culprit::snapshot {
namespace {

using namespace std::string_view_literals;

TEST(ByteText, OrdinaryTextStaysAsItIs) {
  for (const char* text : {"", "/usr/lib/libé✓.so", "C:\\Windows\\System32", "\\", "\\\\", "x\\", "%41"}) {
    EXPECT_EQ(EncodeBytes(text), text);
    EXPECT_EQ(DecodeBytes(text), text);
  }
}

TEST(ByteText, InvalidUtf8ControlsAndAmbiguousBackslashesAreEscaped) {
  EXPECT_EQ(EncodeBytes("a\xff"), "a\\xff");
  EXPECT_EQ(EncodeBytes("\n"), "\\x0a");
  EXPECT_EQ(EncodeBytes("\\x41"), "\\x5cx41");
  EXPECT_EQ(EncodeBytes("\\\xff"), "\\\\xff");
  EXPECT_EQ(EncodeBytes("a\u202e"), "a\\xe2\\x80\\xae");
}

TEST(ByteText, WhatOnlyLooksLikeAnEscapeStays) {
  for (const char* text : {"\\x", "\\x4", "\\xg0", "\\x0g", "\\xFF"}) EXPECT_EQ(DecodeBytes(text), text);
}

TEST(ByteText, AnyBytesComeBackAndCanBeWrittenAsJson) {
  std::mt19937 random(1);
  constexpr std::string_view kNasty = "\\\\x\\x45cfF\xff\xc3\xa9\xe2\x9c\x93\xed\xa0\x80\xf4\x90\0\n\""sv;
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes(random() % 12, '\0');
    for (char& c : bytes)
      c = random() % 8 == 0 ? static_cast<char>(random()) : kNasty[random() % kNasty.size()];
    const std::string text = EncodeBytes(bytes);
    ASSERT_EQ(DecodeBytes(text), bytes);
    ASSERT_EQ(DecodeBytes(base::Json::parse(base::Json(text).dump()).get<std::string>()), bytes);
  }
}

}  // namespace
}  // namespace culprit::snapshot
