#include "collect/python/text.h"

#include <cctype>

#include "base/text.h"

namespace culprit::collect {
namespace {

// The literal that `text` begins with; it ends at its quote, or where a word ends.
std::optional<std::string> Literal(std::string_view text) {
  text = base::Trim(text);
  if (text.empty()) return std::nullopt;
  if (text.front() == '\'' || text.front() == '"') {
    const size_t end = text.find(text.front(), 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view inside = text.substr(1, end - 1);
    if (inside.find_first_of("\\\n") != std::string_view::npos) return std::nullopt;
    return std::string(inside);
  }
  size_t end = 0;
  while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '.'))
    ++end;
  const std::string_view word = text.substr(0, end);
  const bool number = !word.empty() && word.find_first_not_of("0123456789.") == std::string_view::npos;
  if (word == "None" || word == "True" || word == "False" || number) return std::string(word);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> PythonAssignment(std::string_view text, std::string_view name) {
  std::optional<std::string> value;
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    if (at != 0 && text[at - 1] != '\n') continue;
    std::string_view line = text.substr(at + name.size());
    line = base::Trim(line.substr(0, line.find('\n')));
    if (line.starts_with(':')) {
      const size_t equals = line.find('=');
      if (equals == std::string_view::npos) continue;
      line = line.substr(equals);
    }
    if (!line.starts_with('=') || line.starts_with("==")) continue;
    value = Literal(line.substr(1));
  }
  return value;
}

std::optional<std::string> PythonEntry(std::string_view text, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::string quoted = quote + std::string(key) + quote;
    const size_t at = text.find(quoted);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = base::Trim(text.substr(at + quoted.size()));
    if (rest.starts_with(':') || rest.starts_with(',')) return Literal(rest.substr(1));
  }
  return std::nullopt;
}

}  // namespace culprit::collect
