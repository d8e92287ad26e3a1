#include "loader/glibc/tokens.h"

#include <array>
#include <cctype>

namespace culprit::loader {
namespace {

enum class Token { kOrigin, kPlatform, kLib };

struct Match {
  Token token;
  size_t length;  // of the text after the '$'
};

// The token at the start of `text` (after the '$'). A plain name must not be followed by a letter, digit or
// '_'. In braces, the closing brace must follow the name immediately.
std::optional<Match> MatchToken(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, Token>, 3> kTokens = {
      {{"ORIGIN", Token::kOrigin}, {"PLATFORM", Token::kPlatform}, {"LIB", Token::kLib}}};
  const bool braces = text.starts_with('{');
  if (braces) text.remove_prefix(1);
  for (const auto& [name, token] : kTokens) {
    if (!text.starts_with(name)) continue;
    const char next = text.size() > name.size() ? text[name.size()] : '\0';
    if (braces) {
      if (next == '}') return Match{token, name.size() + 2};
    } else if (std::isalnum(static_cast<unsigned char>(next)) == 0 && next != '_') {
      return Match{token, name.size()};
    }
  }
  return std::nullopt;
}

// Lexical: the path, with "." and ".." removed and '/' at the end, is below one of the directories.
bool LiesBelow(std::string_view path, const std::vector<std::string>& directories) {
  std::vector<std::string_view> parts;
  for (size_t at = 0; at < path.size();) {
    size_t end = path.find('/', at);
    if (end == std::string_view::npos) end = path.size();
    const std::string_view part = path.substr(at, end - at);
    if (part == "..") {
      if (!parts.empty()) parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
    at = end + 1;
  }
  std::string normal = "/";
  for (const std::string_view part : parts) normal.append(part).append("/");
  for (const std::string& directory : directories) {
    if (normal.starts_with(directory)) return true;
  }
  return false;
}

}  // namespace

bool HasToken(std::string_view text) {
  for (size_t at = text.find('$'); at != std::string_view::npos; at = text.find('$', at + 1)) {
    if (MatchToken(text.substr(at + 1))) return true;
  }
  return false;
}

std::string ExpandTokens(std::string_view text, const TokenValues& values) {
  std::string expanded;
  bool check_trust = false;
  for (size_t i = 0; i < text.size();) {
    if (text[i] != '$') {
      expanded += text[i++];
      continue;
    }
    const std::optional<Match> match = MatchToken(text.substr(i + 1));
    if (!match) {
      expanded += text[i++];
      continue;
    }
    const size_t after = i + 1 + match->length;
    switch (match->token) {
      case Token::kOrigin: {
        const bool first_component = i == 0 && (after == text.size() || text[after] == '/');
        if (!values.origin || (values.secure && !first_component)) return "";
        check_trust = values.secure && values.is_program;
        expanded += *values.origin;
        break;
      }
      case Token::kPlatform:
        if (!values.platform) return "";
        expanded += *values.platform;
        break;
      case Token::kLib:
        expanded += values.lib;
        break;
    }
    i = after;
  }
  if (check_trust && (values.trusted == nullptr || !LiesBelow(expanded, *values.trusted))) return "";
  return expanded;
}

}  // namespace culprit::loader
