#include "render/redact.h"

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

}  // namespace

std::string Redact(std::string_view text, std::string_view home, std::string_view user) {
  if (home == "/" || home == "/root") home = {};
  if (user == "root" || user.size() < 2) user = {};
  std::string out;
  for (size_t i = 0; i < text.size();) {
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
