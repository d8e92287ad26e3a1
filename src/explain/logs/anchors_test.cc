// Compares the prefilter with the simplest possible search.
#include "explain/logs/anchors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace culprit::logs {
namespace {

using Hits = std::set<std::pair<size_t, size_t>>;

std::string Lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return text;
}

Hits Plainly(const std::vector<std::string>& anchors, const std::string& text, size_t from) {
  Hits hits;
  const std::string lower = Lower(text);
  for (size_t i = 0; i < anchors.size(); ++i) {
    for (size_t at = lower.find(Lower(anchors[i]), from); at != std::string::npos;
         at = lower.find(Lower(anchors[i]), at + 1)) {
      hits.emplace(at, i);
    }
  }
  return hits;
}

Hits Quickly(const std::vector<std::string>& anchors, const std::string& text, size_t from) {
  const std::vector<std::string_view> views(anchors.begin(), anchors.end());
  Hits hits;
  AnchorFinder(views).Find(text, from, [&](const AnchorFinder::Hit& hit) {
    hits.emplace(hit.at, hit.anchor);
    return true;
  });
  return hits;
}

TEST(AnchorFinder, FindsEveryAnchorAtEveryPlace) {
  const std::vector<std::string> anchors = {"CUDNN_STATUS_", "NVRM: Xid", "libcuda",
                                            "cannot open shared object file"};
  for (size_t shift = 0; shift < 9; ++shift) {
    for (const std::string& anchor : anchors) {
      const std::string text = std::string(shift, 'x') + anchor;
      EXPECT_EQ(Quickly(anchors, text, 0), Plainly(anchors, text, 0)) << text;
      EXPECT_FALSE(Quickly(anchors, text, 0).empty()) << text;
      EXPECT_EQ(Quickly(anchors, text + "yyyyyyyyy", shift), Plainly(anchors, text + "yyyyyyyyy", shift))
          << text;
    }
  }
}

TEST(AnchorFinder, FoldsLettersAndNothingElse) {
  const std::vector<std::string> anchors = {"Error [x]"};
  EXPECT_EQ(Quickly(anchors, "ERROR [X]", 0).size(), 1u);
  EXPECT_EQ(Quickly(anchors, "ERROR {X}", 0).size(), 0u);  // '[' and '{' differ in the same bit as letters
}

TEST(AnchorFinder, AgreesWithPlainSearchOnRandomTexts) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const auto letters = [&](size_t size) {
      std::string text(size, ' ');
      for (char& c : text) c = "abAB_ "[random() % 6];
      return text;
    };
    std::string text = letters(200 + random() % 100);
    std::vector<std::string> anchors;
    for (int i = 0; i < 6; ++i) anchors.push_back(letters(AnchorFinder::kShortest + random() % 8));
    for (int i = 0; i < 3; ++i) {  // some that occur
      const size_t at = random() % (text.size() - 20);
      anchors.push_back(text.substr(at, AnchorFinder::kShortest + random() % 10));
    }
    const size_t from = random() % 60;
    ASSERT_EQ(Quickly(anchors, text, from), Plainly(anchors, text, from)) << text;
  }
}

TEST(CountLines, CountsInLongTexts) {
  EXPECT_EQ(CountLines(""), 0u);
  EXPECT_EQ(CountLines("\n"), 1u);
  EXPECT_EQ(CountLines(std::string(1000, '\n')), 1000u);
  EXPECT_EQ(CountLines(std::string(1000, 'x') + "\n" + std::string(300, 'y')), 1u);
}

}  // namespace
}  // namespace culprit::logs
