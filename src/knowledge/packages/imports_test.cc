// The rows of data/imports.toml are consistent: what a row refers to exists, and every placeholder is known.
#include "knowledge/packages/imports.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "base/version.h"

namespace culprit::knowledge {
namespace {

constexpr std::array<std::string_view, 12> kPlaceholders = {
    "folder", "file",        "python",   "cuda",       "cudnn",     "torch_cuda",
    "prefix", "base_prefix", "userbase", "nvtoolsext", "cuda_path", "cuda_home"};

void ExpectKnownPlaceholders(std::string_view text) {
  for (size_t open = text.find('{'); open != std::string_view::npos; open = text.find('{', open + 1)) {
    const size_t close = text.find('}', open);
    ASSERT_NE(close, std::string_view::npos) << text;
    const std::string_view key = text.substr(open + 1, close - open - 1);
    EXPECT_NE(std::ranges::find(kPlaceholders, key), kPlaceholders.end()) << text;
  }
}

TEST(Imports, EveryRowHasASourceAndKnownPlaceholders) {
  ASSERT_FALSE(ImportRows().empty());
  for (const ImportRow& row : ImportRows()) {
    EXPECT_FALSE(row.source.empty());
    for (const std::string_view name : row.names) ExpectKnownPlaceholders(name);
    for (const std::string_view item : row.each) ExpectKnownPlaceholders(item);
    for (const std::string_view name : row.unless) ExpectKnownPlaceholders(name);
    const bool asks = std::ranges::any_of(
        row.names, [](std::string_view name) { return name.find("{file}") != std::string_view::npos; });
    EXPECT_EQ(asks, !row.each.empty()) << row.framework << ": {file} and `each` belong together";
  }
}

TEST(Imports, AStepSpeaksOfOneBeforeIt) {
  std::set<std::string> labels;
  for (const ImportRow& row : ImportRows()) {
    const std::string framework(row.framework);
    EXPECT_EQ(row.after.empty(), row.when == StepWhen::kAlways) << framework;
    if (!row.after.empty()) {
      EXPECT_TRUE(labels.contains(framework + "/" + std::string(row.after))) << framework;
    }
    if (!row.label.empty()) labels.insert(framework + "/" + std::string(row.label));
  }
}

// Directories and flags are only for Windows; elsewhere they would be silently ignored.
TEST(Imports, WhatOnlyWindowsHasStandsInItsRowsAlone) {
  size_t windows = 0;
  for (const ImportRow& row : ImportRows()) {
    if (row.os == ImportOs::kWindows) {
      ++windows;
      for (const std::string_view name : row.names) {
        EXPECT_EQ(name.find(".so"), std::string_view::npos) << row.framework << ": " << name;
      }
      EXPECT_TRUE(row.every || !row.retry_with_path) << row.framework;
      EXPECT_TRUE(row.action == StepAction::kOpen || row.search == StepSearch::kStandard) << row.framework;
      continue;
    }
    EXPECT_EQ(row.action, StepAction::kOpen) << row.framework;
    EXPECT_EQ(row.search, StepSearch::kStandard) << row.framework;
    EXPECT_FALSE(row.retry_with_path) << row.framework;
    EXPECT_TRUE(row.unless.empty()) << row.framework;
  }
  EXPECT_GT(windows, 20U);
}

TEST(Imports, RangesOfVersionsAreInOrder) {
  for (const ImportRow& row : ImportRows()) {
    if (row.since.empty() || row.until.empty()) continue;
    EXPECT_LT(*base::Version::Parse(row.since), *base::Version::Parse(row.until)) << row.framework;
  }
}

// An import that starts with another one must not come back to itself.
TEST(Imports, NoneBeginsWithOneThatBeginsWithAnother) {
  for (const ImportsFirst& first : ImportsFirsts()) {
    EXPECT_TRUE(std::ranges::none_of(ImportsFirsts(), [&](const ImportsFirst& other) {
      return other.framework == first.other;
    })) << first.framework;
  }
}

}  // namespace
}  // namespace culprit::knowledge
