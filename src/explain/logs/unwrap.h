// A text without what was done to all of its lines: broken by a console or a mail program, commented out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace culprit::logs {

struct Unwrapped {
  std::string text;
  std::vector<uint64_t> numbers;  // of each line: where it starts in the original, from 1
  bool sure = false;              // the lines themselves show it
};

// The ways in which the lines of a text may have been changed, the likelier first; those that change nothing
// are left out. A console breaks at its width, also inside a word; a mail program between two words.
std::vector<Unwrapped> Unwrap(std::string_view text);

}  // namespace culprit::logs
