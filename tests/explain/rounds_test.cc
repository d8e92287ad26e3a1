// The texts of the rounds that measured first sight (docs/first-sight.md), and of four collections that were
// only learned from, retold in our own words. What was learned from them stays learned.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "explained.h"

namespace culprit {
namespace {

using nlohmann::json;

// The first cause is right; of a text without a fault, none is named.
bool IsRight(const json& text) {
  const auto causes = Explained(text.at("log")).causes;
  const std::string cause = text.at("cause");
  if (causes.empty()) return cause == "none";
  const std::vector<std::string> also = text.at("also");
  const std::string& first = causes.front().cause;
  return first == cause || std::ranges::find(also, first) != also.end();
}

TEST(Rounds, WhatWasLearnedStays) {
  size_t lines_read = 0, texts = 0;
  for (const auto& file : std::filesystem::directory_iterator(CULPRIT_SOURCE_DIR "/tests/explain/rounds")) {
    std::ifstream lines(file.path());
    for (std::string line; std::getline(lines, line);) {
      if (++lines_read % CULPRIT_CASE_STRIDE != 0) continue;
      ++texts;
      const json text = json::parse(line);
      EXPECT_EQ(IsRight(text), !text.value("missed", false))
          << file.path().filename() << ": " << text.at("id");
    }
  }
  EXPECT_GT(texts, 400U / CULPRIT_CASE_STRIDE);
}

}  // namespace
}  // namespace culprit
