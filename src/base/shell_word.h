// A word as a POSIX shell reads it, whatever is in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

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

}  // namespace culprit::base
