#include "collect/recipe/shell.h"

#include <algorithm>

#include "collect/recipe/splitter.h"

namespace culprit::collect {
namespace {

using Words = std::vector<std::string>;

constexpr size_t kLongestValue = 64 << 10;
// "NAME:-word" of "${NAME:-word}".
std::string Expanded(std::string_view inner, const Variables& variables, bool& vague) {
  const size_t end = static_cast<size_t>(std::ranges::find_if_not(inner, IsNameSign) - inner.begin());
  const std::string name(inner.substr(0, end));
  std::string_view rest = inner.substr(end);
  const auto known = variables.find(name);
  const bool colon = rest.starts_with(':');
  if (colon) rest.remove_prefix(1);
  const bool set = known != variables.end() && !(colon && known->second.empty());
  if (rest.starts_with('-') && !set) return std::string(rest.substr(1));
  if (rest.starts_with('+')) return set ? std::string(rest.substr(1)) : "";
  if (known != variables.end() && (rest.empty() || rest.front() == '-' || rest.front() == '?'))
    return known->second;
  vague = true;
  return "${" + std::string(inner) + "}";
}

}  // namespace

void LinedText::Add(std::string_view more, uint64_t line) {
  lines.emplace_back(text.size(), line);
  text += more;
}

uint64_t LinedText::LineAt(size_t offset) const {
  const auto after = std::ranges::upper_bound(lines, offset, {}, &std::pair<size_t, uint64_t>::first);
  return after == lines.begin() ? 0 : std::prev(after)->second;
}

Substituted Substitute(std::string_view text, const Variables& variables, char escape, bool quoted) {
  Substituted result;
  bool single = false, twofold = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && !single) twofold = !twofold;
    if (quoted && c == '\'' && !twofold) single = !single;
    if (c == escape && !single && i + 1 < text.size() && text[i + 1] == '$') {
      result.text += quoted ? text.substr(i, 2) : text.substr(i + 1, 1);
      ++i;
      continue;
    }
    if (c != '$' || single || i + 1 >= text.size()) {
      result.text += c;
      continue;
    }
    std::string_view inner;
    size_t end = i + 1;
    if (text[end] == '{') {
      const size_t close = text.find('}', end);
      if (close != std::string_view::npos) inner = text.substr(end + 1, close - end - 1);
      end = close == std::string_view::npos ? end : close + 1;
    } else {
      while (end < text.size() && IsNameSign(text[end])) ++end;
      inner = text.substr(i + 1, end - i - 1);
    }
    if (inner.empty() || !IsNameSign(inner.front())) {
      result.text += c;
      continue;
    }
    result.text += Expanded(inner, variables, result.vague);
    i = end - 1;
    if (result.text.size() > kLongestValue) return {std::string(text), true};
  }
  return result;
}

std::string Quoted(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += text.empty() ? "'" : " '";
    for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
    text += '\'';
  }
  return text;
}

std::vector<std::string> LineWords(std::string_view text) {
  Words words;
  for (auto& token : Splitter(text).Run()) words.push_back(std::move(token.text));
  return words;
}

}  // namespace culprit::collect
