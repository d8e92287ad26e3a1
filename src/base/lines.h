// Reads a text line by line, without copying.
#pragma once

#include <string_view>

namespace culprit::base {

// Removes the next line from `text`; `line` gets it without "\n" or "\r\n". False if there is none.
inline bool NextLine(std::string_view& text, std::string_view& line) {
  if (text.empty()) return false;
  const size_t end = text.find('\n');
  line = text.substr(0, end);
  if (line.ends_with('\r')) line.remove_suffix(1);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return true;
}

}  // namespace culprit::base
