#include "render/windows_spelling.h"

namespace culprit::render {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsWordPart(char c) { return IsLetter(c) || (c >= '0' && c <= '9') || c == '/' || c == '\\' || c == '_'; }

// Length of "/C:" or "/UNC" if a path starts here, 0 otherwise.
size_t PathStart(std::string_view text, size_t at) {
  if (text[at] != '/') return 0;
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("/UNC/")) return 4;
  if (rest.size() < 3 || !IsLetter(rest[1]) || rest[2] != ':') return 0;
  return rest.size() == 3 || !IsWordPart(rest[3]) || rest[3] == '/' ? 3 : 0;
}

// Characters that end a path. A space does not: at worst a slash after it becomes a backslash.
bool EndsPath(std::string_view text, size_t at) {
  const char c = text[at];
  if (static_cast<unsigned char>(c) < ' ') return true;
  if (std::string_view("\"<>|?*:\\`'").find(c) != std::string_view::npos) return true;
  return (c == ',' || c == ';' || c == ' ') && at + 1 < text.size() && text[at + 1] == ' ';
}

// Length of a terminal color or a JSON escape that begins here; 0 otherwise.
size_t EscapeLength(std::string_view text, size_t at, Writing writing) {
  if (writing == Writing::kJson && text[at] == '\\') return 2;
  if (text[at] != '\x1b') return 0;
  const size_t end = text.find('m', at);
  return end == std::string_view::npos ? 1 : end - at + 1;
}

}  // namespace

std::string InWindowsSpelling(std::string_view text, Writing writing) {
  const std::string_view backslash = writing == Writing::kJson ? R"(\\)" : R"(\)";
  std::string spelled;
  spelled.reserve(text.size());
  bool inside = false;
  bool in_word = false;  // a path starts at the start of a word
  for (size_t at = 0; at < text.size();) {
    if (const size_t escape = EscapeLength(text, at, writing); escape != 0) {
      spelled += text.substr(at, escape);
      at += escape;
      inside = in_word = false;
      continue;
    }
    if (const size_t length = in_word ? 0 : PathStart(text, at); length != 0) {
      const bool share = length == 4;
      spelled += share ? backslash : text.substr(at + 1, 2);
      at += length;
      if (!share && (at == text.size() || text[at] != '/')) spelled += backslash;  // a whole drive
      inside = in_word = true;
      continue;
    }
    if (inside && EndsPath(text, at)) inside = false;
    in_word = IsWordPart(text[at]);
    if (inside && text[at] == '/') {
      spelled += backslash;
    } else {
      spelled += text[at];
    }
    ++at;
  }
  return spelled;
}

}  // namespace culprit::render
