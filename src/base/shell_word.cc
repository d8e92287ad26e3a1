#include "base/shell_word.h"

#include <cstddef>

namespace culprit::base {

Result<std::vector<std::string>> SplitShellWords(std::string_view text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  const auto add = [&](char c) {
    if (!in_word) words.emplace_back();
    in_word = true;
    if (c != 0) words.back() += c;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool last = i + 1 == text.size();
    // Between double quotes a backslash is one, unless something special follows.
    const bool escapes =
        c == '\\' && quote != '\'' && !last &&
        (quote == 0 || std::string_view("\"\\$`").find(text[i + 1]) != std::string_view::npos);
    if (escapes) {
      add(text[++i]);
    } else if (c == quote && quote != 0) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
      add(0);
    } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      in_word = false;
    } else {
      add(c);
    }
  }
  if (quote != 0) return Fail(ErrorCode::kBadFormat, "a quote without its other half");
  return words;
}

}  // namespace culprit::base
