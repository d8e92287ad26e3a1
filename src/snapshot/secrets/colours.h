// A text without the escape sequences of a terminal, and where its characters stood: "pass\x1b[1mword=x" is a
// password, too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace culprit::snapshot {

struct Uncoloured {
  std::string text;
  std::vector<size_t> places;  // of each character in the original
};

inline bool HasColours(std::string_view text) { return text.find('\x1b') != std::string_view::npos; }
Uncoloured WithoutColours(std::string_view text);

}  // namespace culprit::snapshot
