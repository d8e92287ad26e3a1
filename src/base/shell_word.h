// Words as a POSIX shell reads them, whatever is in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace culprit::base {

inline std::string ShellWord(std::string_view word) {
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

inline std::string ShellWords(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : " ") + ShellWord(word);
  return all;
}

// The words of a text: split at blanks, with quotes and backslashes; nothing is expanded.
Result<std::vector<std::string>> SplitShellWords(std::string_view text);

}  // namespace culprit::base
