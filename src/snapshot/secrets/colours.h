// A text without the escape sequences of a terminal, real ones and those in the source of a program, and
// where its characters stood: "pass\x1b[1mword=x" is a password, too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace culprit::snapshot {

struct Uncoloured {
  std::string text;
  std::vector<size_t> places;  // of each character in the original
};

inline bool MayHaveColours(std::string_view text) {
  return text.find_first_of("\x1b\\") != std::string_view::npos;
}
Uncoloured WithoutColours(std::string_view text);

}  // namespace culprit::snapshot
