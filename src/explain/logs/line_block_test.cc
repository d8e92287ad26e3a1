#include "explain/logs/line_block.h"

#include <gtest/gtest.h>

namespace culprit::logs {
namespace {

// `begin` is where a line starts that begins with the given text.
size_t At(std::string_view text, std::string_view line) { return text.find(line); }

TEST(LineBlock, HoldsTheLineAndThoseAhead) {
  const std::string_view text = "a\n  b\nc\r\nd\ne\n";
  const LineBlock block = BlockOf(text, At(text, "  b"), 1, 1);
  EXPECT_EQ(block.lines, "  b\nc\n");
  EXPECT_EQ(block.windows, "");
  EXPECT_EQ(text.substr(0, block.end), "a\n  b\nc");
}

TEST(LineBlock, WindowsReachBeyondTheLinesOnBothSides) {
  const std::string_view text = "x\na\n  b\nc\nd\ne\n";
  const LineBlock block = BlockOf(text, At(text, "  b"), 2, 1);
  EXPECT_EQ(block.lines, "  b\nc\n");
  EXPECT_EQ(block.windows, "a\nb\nc\nd\n");
}

TEST(LineBlock, EndsBeforeWhatIsExaminedInParts) {
  const std::string text = "a\nb\nc\n25 %\r50 %\n" + std::string(5000, 'x') + "\nd\n";
  EXPECT_EQ(BlockOf(text, At(text, "b"), 1, 9).lines, "b\nc\n");
  EXPECT_EQ(BlockOf(text, At(text, "25"), 1, 9).end, 0u);
  EXPECT_EQ(BlockOf(text, At(text, "xx"), 1, 9).end, 0u);
}

TEST(LineBlock, HasWholeLinesOfOneProcess) {
  const std::string_view text = "[rank0]: x\n[rank0]: a\n[rank0]: b\n[rank0]: c\n[rank1]: d\n";
  EXPECT_EQ(BlockOf(text, At(text, "[rank0]: b"), 2, 9).windows, "a\nb\nc\n");
  EXPECT_EQ(BlockOf(text, At(text, "[rank1]"), 2, 9).end, 0u);
  EXPECT_EQ(BlockOf(text, At(text, "[rank1]"), 1, 9).lines, "d\n");
  EXPECT_EQ(BlockOf("a\nb", 2, 1, 9).end, 0u) << "the line is not complete";
}

}  // namespace
}  // namespace culprit::logs
