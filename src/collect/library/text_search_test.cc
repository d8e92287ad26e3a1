#include "collect/library/text_search.h"

#include <gtest/gtest.h>

#include <span>
#include <string>

namespace culprit::collect {
namespace {

constexpr uint64_t kMega = 1 << 20;

std::optional<std::string> After(const std::string& bytes, SearchFrom from, uint64_t limit) {
  return TextAfter(base::MemorySource(std::as_bytes(std::span(bytes))), "release ", from, limit);
}

TEST(TextSearch, FindsATextAcrossTheBorderOfTwoChunks) {
  std::string bytes(3 * kMega, '\0');
  bytes.replace(kMega - 4, 17, "release 13.0, V13");
  EXPECT_EQ(After(bytes, SearchFrom::kStart, bytes.size()), "13.0, V13");
  EXPECT_EQ(After(bytes, SearchFrom::kEnd, bytes.size()), "13.0, V13");
}

TEST(TextSearch, StopsAtTheLimit) {
  std::string bytes(3 * kMega, '\0');
  bytes.replace(2 * kMega + 500, 12, "release 13.0");
  EXPECT_FALSE(After(bytes, SearchFrom::kStart, kMega));
  EXPECT_EQ(After(bytes, SearchFrom::kEnd, kMega), "13.0");
}

TEST(TextSearch, EndsAtTheEndOfTheText) {
  EXPECT_EQ(After("..release 9.1\nmore", SearchFrom::kStart, 100), "9.1");
  EXPECT_EQ(After("release ", SearchFrom::kEnd, 100), "");
  EXPECT_FALSE(After("", SearchFrom::kEnd, 100));
}

TEST(TextSearch, AVersionConstantIsAWholeTextAndTheHighestCounts) {
  using std::string_literals::operator""s;
  const auto version = [](const std::string& bytes) {
    return VersionConstant(base::MemorySource(std::as_bytes(std::span(bytes))), "3.25.", bytes.size());
  };
  EXPECT_EQ(version("\0003.25.0\0\0003.25.10\0003.25.9\0"s), "3.25.10");
  EXPECT_EQ(version("/opt/3.25.7/lib\0\0003.25.7-rc1\0\0003.26.1\0\0003.25.8"s), "");
  std::string wide(3 * kMega, '\0');
  wide.replace(kMega - 3, 6, "3.25.4");
  EXPECT_EQ(version(wide), "3.25.4");
}

}  // namespace
}  // namespace culprit::collect
