// Consecutive lines of a log as one text: what does not match there matches in none of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace culprit::logs {

struct LineBlock {
  std::string lines;    // cleaned, one below the other
  std::string windows;  // the same and those before and after it, trimmed: every window of lines is in it
  size_t end = 0;       // where the last one of `lines` ends in the text; 0 = there is no such block
};

// The line that begins at `begin` and up to `ahead` lines after it. `reach` is how many lines a message may
// span; with more than one, the lines must be of one process. Lines of which only parts are examined (very
// long ones, or with carriage returns in them) end the block.
LineBlock BlockOf(std::string_view text, size_t begin, uint32_t reach, size_t ahead);

// Which process wrote a line, judging by its prefix: without what changes from line to line.
std::string ProcessOf(std::string_view prefix);

}  // namespace culprit::logs
