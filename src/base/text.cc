#include "base/text.h"

#include <algorithm>
#include <cstdint>

namespace culprit::base {

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  size_t start = 0;
  while (true) {
    const size_t end = text.find(separator, start);
    if (end == std::string_view::npos) break;
    parts.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  parts.emplace_back(text.substr(start));
  return parts;
}

std::vector<std::string> SplitWords(std::string_view text, std::string_view separators) {
  std::vector<std::string> words;
  size_t start = 0;
  while ((start = text.find_first_not_of(separators, start)) != std::string_view::npos) {
    const size_t end = text.find_first_of(separators, start);
    words.emplace_back(text.substr(start, end == std::string_view::npos ? end : end - start));
    if (end == std::string_view::npos) break;
    start = end;
  }
  return words;
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string_view DirName(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {};
  return path.substr(0, slash == 0 ? 1 : slash);
}

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string JoinPath(std::string_view directory, std::string_view name) {
  if (directory.empty() || name.starts_with('/')) return std::string(name);
  std::string path(directory);
  if (path.back() != '/') path += '/';
  path += name;
  return path;
}

std::string CleanPath(std::string_view path) {
  std::string clean = path.starts_with('/') ? "/" : "";
  clean.reserve(path.size());
  for (size_t end = 0; end < path.size();) {
    const size_t start = std::min(path.find_first_not_of('/', end), path.size());
    end = std::min(path.find('/', start), path.size());
    const std::string_view part = path.substr(start, end - start);
    if (part.empty() || part == ".") continue;
    if (!clean.empty() && clean.back() != '/') clean += '/';
    clean += part;
  }
  return clean.empty() ? "." : clean;
}

namespace {

// Length of the valid UTF-8 sequence at the start of `text`, 0 if there is none.
size_t Utf8Length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  size_t length = 0;
  if (lead >= 0xC2 && lead <= 0xDF) length = 2;
  if (lead >= 0xE0 && lead <= 0xEF) length = 3;
  if (lead >= 0xF0 && lead <= 0xF4) length = 4;
  if (length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  if (lead == 0xE0 && byte(1) < 0xA0) return 0;  // overlong
  if (lead == 0xED && byte(1) > 0x9F) return 0;  // surrogate
  if (lead == 0xF0 && byte(1) < 0x90) return 0;  // overlong
  if (lead == 0xF4 && byte(1) > 0x8F) return 0;  // beyond Unicode
  return length;
}

}  // namespace

bool IsInvisible(uint32_t sign) {
  return (sign >= 0x7F && sign <= 0x9F) || sign == 0xAD || sign == 0x61C || sign == 0x180E ||
         (sign >= 0x200B && sign <= 0x200F) || (sign >= 0x2028 && sign <= 0x202E) ||
         (sign >= 0x2060 && sign <= 0x206F) || sign == 0xFEFF || (sign >= 0xFFF9 && sign <= 0xFFFB) ||
         (sign >= 0xE0000 && sign <= 0xE0FFF);
}

Sign SignAt(std::string_view text) {
  const auto first = static_cast<uint8_t>(text.front());
  if (first < 0x80) return {first, 1};
  const size_t length = Utf8Length(text);
  uint32_t code = length == 0 ? 0 : first & (0xFFU >> (length + 1));
  for (size_t i = 1; i < length; ++i) code = code << 6 | (static_cast<uint8_t>(text[i]) & 0x3FU);
  return {code, length};
}

std::string Hex(uint32_t number, size_t digits) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  for (; number != 0 || text.size() < digits; number >>= 4) text.insert(text.begin(), kHex[number & 15]);
  return text;
}

std::string Printable(std::string_view text, Invisible invisible) {
  std::string safe;
  safe.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    auto [code, length] = SignAt(text.substr(i));
    const bool is_invisible = length > 0 && IsInvisible(code);
    if (length == 0 || code < 0x20 || (code >= 0x7F && code < 0xA0) ||
        (is_invisible && invisible == Invisible::kBytes)) {
      length = is_invisible ? length : 1;
      for (const char c : text.substr(i, length)) safe += "\\x" + Hex(static_cast<uint8_t>(c), 2);
    } else if (is_invisible) {
      safe += "\\u{" + Hex(code, 1) + "}";
    } else {
      safe += text.substr(i, length);
    }
    i += length;
  }
  return safe;
}

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Backtracks only to the last '*', so a hostile pattern is not slow.
bool MatchesPattern(std::string_view pattern, std::string_view name) {
  constexpr std::string_view kDigit = "[0-9]";
  size_t at = 0, star = std::string_view::npos, taken = 0, i = 0;
  while (i < name.size()) {
    const std::string_view rest = pattern.substr(std::min(at, pattern.size()));
    if (rest.starts_with(kDigit) && name[i] >= '0' && name[i] <= '9') {
      at += kDigit.size();
      ++i;
    } else if (!rest.empty() && rest.front() == '*') {
      star = at++;
      taken = i;
    } else if (!rest.empty() && (rest.front() == '?' || rest.front() == name[i])) {
      ++at;
      ++i;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      i = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

std::string ValueOf(const std::map<std::string, std::string>& variables, const std::string& name) {
  const auto found = variables.find(name);
  return found == variables.end() ? "" : found->second;
}

std::string InDoubleQuotes(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : Printable(text)) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace culprit::base
