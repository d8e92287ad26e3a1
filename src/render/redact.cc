#include "render/redact.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace culprit::render {
namespace {

bool InName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

// Whether `word` is at `at` as whole path components.
bool StandsAt(std::string_view text, size_t at, std::string_view word) {
  if (word.empty() || text.substr(at, word.size()) != word) return false;
  if (at > 0 && InName(text[at - 1]) && InName(word.front())) return false;
  const size_t end = at + word.size();
  return end >= text.size() || !InName(text[end]);
}

// Names that are parts of paths on every machine identify nobody.
bool TellsNothing(std::string_view user) {
  static constexpr std::array<std::string_view, 22> kEverywhere = {
      "bin", "conda",  "cuda", "data",   "dev",  "etc",  "home",  "include", "lib", "lib64", "local",
      "mnt", "nvidia", "opt",  "python", "root", "sbin", "share", "src",     "tmp", "usr",   "var"};
  return user.size() < 2 || std::ranges::find(kEverywhere, user) != kEverywhere.end();
}

// The length of a word in quotes at the beginning of `text`, as a shell reads it, with both quotes; 0 if
// there is none: an apostrophe, or more of the word behind it.
size_t QuotedLength(std::string_view text) {
  const size_t line = std::min(text.find('\n'), text.size());
  const size_t end = text.substr(0, line).find(text.front(), 1);
  if (end == std::string_view::npos) return 0;
  return end + 1 == text.size() || std::string_view(" \n;)&|").contains(text[end + 1]) ? end + 1 : 0;
}

// 'x /home/ada/y' as "x $HOME/y"; "" if the home is not in it. What double quotes would change stays in
// single ones.
std::string QuotedWithHome(std::string_view quoted, std::string_view home) {
  const std::string_view inside = quoted.substr(1, quoted.size() - 2);
  if (inside.find_first_of("\"$`\\!") != std::string_view::npos) {
    if (quoted.front() != '\'' || !StandsAt(inside, 0, home)) return "";
    return "\"$HOME\"'" + std::string(inside.substr(home.size())) + "'";
  }
  std::string out = "\"";
  bool found = false;
  for (size_t i = 0; i < inside.size();) {
    const bool here = StandsAt(inside, i, home);
    out += here ? "$HOME" : std::string(1, inside[i]);
    i += here ? home.size() : 1;
    found |= here;
  }
  return found ? out + "\"" : "";
}

bool BeginsQuotes(std::string_view text, size_t at) {
  return (text[at] == '\'' || text[at] == '"') &&
         (at == 0 || std::string_view(" \n\t=(").contains(text[at - 1]));
}

}  // namespace

std::string Redact(std::string_view text, std::string_view home, std::string_view user) {
  if (home == "/" || home == "/root") home = {};
  if (TellsNothing(user)) user = {};
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (const size_t length = BeginsQuotes(text, i) ? QuotedLength(text.substr(i)) : 0; length > 0) {
      const std::string quoted = QuotedWithHome(text.substr(i, length), home);
      if (!quoted.empty()) {
        out += Redact(quoted, {}, user);
        i += length;
        continue;
      }
    }
    if (StandsAt(text, i, home)) {
      out += '~';
      i += home.size();
      continue;
    }
    bool replaced = false;
    for (const std::string_view directory : {"/home/", "/Users/"}) {
      if (text.substr(i, directory.size()) != directory) continue;
      size_t end = i + directory.size();
      while (end < text.size() && InName(text[end])) ++end;
      if (end == i + directory.size()) continue;
      out += std::string(directory) + "USER";
      i = end;
      replaced = true;
      break;
    }
    if (replaced) continue;
    if (StandsAt(text, i, user)) {
      out += "USER";
      i += user.size();
      continue;
    }
    out += text[i++];
  }
  return out;
}

}  // namespace culprit::render
