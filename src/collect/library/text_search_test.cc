#include "collect/library/text_search.h"

#include <gtest/gtest.h>

#include <span>

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

}  // namespace
}  // namespace culprit::collect
