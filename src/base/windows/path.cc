#include "base/windows/path.h"

#include <algorithm>
#include <vector>

namespace culprit::base {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsSlash(char c) { return c == '/' || c == '\\'; }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }
char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c; }

bool HasDrive(std::string_view path) { return path.size() >= 2 && IsLetter(path[0]) && path[1] == ':'; }

constexpr std::string_view kUnc = "/UNC";

// "\\?\C:\a" -> "C:\a", "\\?\UNC\server" -> "\\server".
std::string WithoutPrefix(std::string_view path) {
  const auto is = [&](std::string_view prefix) {
    return path.size() >= prefix.size() &&
           std::ranges::equal(path.substr(0, prefix.size()), prefix, [](char a, char b) {
             return Lower(a) == Lower(b) || (IsSlash(a) && IsSlash(b));
           });
  };
  if (is(R"(\\?\UNC\)")) return R"(\\)" + std::string(path.substr(8));
  if (is(R"(\\?\)") || is(R"(\\.\)") || is(R"(\??\)")) return std::string(path.substr(4));
  return std::string(path);
}

// Appends the components of `path` to `parts`; ".." cannot remove the first `fixed` of them.
void Append(std::string_view path, size_t fixed, std::vector<std::string>& parts) {
  size_t begin = 0;
  while (begin < path.size()) {
    size_t end = begin;
    while (end < path.size() && !IsSlash(path[end])) ++end;
    std::string_view name = path.substr(begin, end - begin);
    begin = end + 1;
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      if (parts.size() > fixed) parts.pop_back();
      continue;
    }
    while (name.ends_with('.') || name.ends_with(' ')) name.remove_suffix(1);
    if (!name.empty()) parts.emplace_back(name);
  }
}

}  // namespace

bool IsWindowsPath(std::string_view path) {
  if (path.starts_with(kUnc)) return path.size() == kUnc.size() || path[kUnc.size()] == '/';
  return path.starts_with('/') && HasDrive(path.substr(1)) && (path.size() == 3 || path[3] == '/');
}

std::string FromWindowsPath(std::string_view given, std::string_view working_directory) {
  const std::string path = IsWindowsPath(given) ? std::string(given) : WithoutPrefix(given);
  const std::string_view current = IsWindowsPath(working_directory) ? working_directory : "/C:";
  std::vector<std::string> parts;
  if (IsWindowsPath(path)) {
    Append(path, 1, parts);
  } else if (path.size() >= 2 && IsSlash(path[0]) && IsSlash(path[1])) {
    parts.emplace_back("UNC");
    Append(path, 3, parts);
  } else if (HasDrive(path)) {
    parts.push_back({Upper(path[0]), ':'});
    Append(std::string_view(path).substr(2), 1, parts);
  } else {
    Append(current, 1, parts);
    const size_t root = parts.front() == "UNC" ? 3 : 1;
    if (!path.empty() && IsSlash(path[0])) parts.resize(std::min(parts.size(), root));
    Append(path, root, parts);
  }
  std::string clean;
  for (const std::string& part : parts) clean += "/" + part;
  return clean;
}

std::string ToWindowsPath(std::string_view path) {
  if (!IsWindowsPath(path)) return std::string(path);
  std::string text =
      path.starts_with(kUnc) ? "/" + std::string(path.substr(kUnc.size())) : std::string(path.substr(1));
  std::ranges::replace(text, '/', '\\');
  if (text.ends_with(':')) text += '\\';
  return text;
}

std::vector<std::string> SplitWindowsPath(std::string_view variable) {
  std::vector<std::string> directories;
  std::string element;
  bool quoted = false;
  for (size_t i = 0; i <= variable.size(); ++i) {
    if (i == variable.size() || (variable[i] == ';' && !quoted)) {
      if (!element.empty()) directories.push_back(FromWindowsPath(element));
      element.clear();
    } else if (variable[i] == '"') {
      quoted = !quoted;
    } else {
      element += variable[i];
    }
  }
  return directories;
}

std::string FoldCase(std::string_view text) {
  std::string folded(text);
  std::ranges::transform(folded, folded.begin(), Lower);
  return folded;
}

bool SameName(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return Lower(x) == Lower(y); });
}

}  // namespace culprit::base
