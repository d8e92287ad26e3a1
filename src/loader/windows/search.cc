#include "loader/windows/search.h"

#include <algorithm>

#include "base/text.h"
#include "base/windows/path.h"
#include "loader/windows/windows.h"

namespace culprit::loader {
namespace {

bool IsSlash(char c) { return c == '/' || c == '\\'; }
bool HasDrive(std::string_view path) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return path.size() >= 2 && letter(path[0]) && path[1] == ':';
}

std::string Directory(std::string_view path) { return std::string(base::DirName(path)); }

constexpr uint32_t kAllSearchFlags =
    kSearchDllLoadDir | kSearchApplicationDir | kSearchUserDirs | kSearchSystem32 | kSearchDefaultDirs;

}  // namespace

DllName ParseDllName(std::string_view given, const std::string& working_directory) {
  while (given.ends_with(' ')) given.remove_suffix(1);
  DllName name;
  std::string text(given);
  const size_t slash = text.find_last_of("/\\");
  const std::string_view last = std::string_view(text).substr(slash == std::string::npos ? 0 : slash + 1);
  if (last.ends_with('.')) {
    if (last != "." && last != "..") text.pop_back();
  } else if (!last.empty() && last.find('.') == std::string_view::npos) {
    text += ".dll";
  }
  const bool drive = HasDrive(text);
  if (base::IsWindowsPath(text) || drive || (!text.empty() && IsSlash(text[0]))) {
    name.kind = DllName::Kind::kFull;
    name.absolute = !drive || (text.size() > 2 && IsSlash(text[2]));
    name.text = base::FromWindowsPath(text, working_directory);
  } else {
    std::ranges::replace(text, '\\', '/');
    name.kind = text.find('/') == std::string::npos ? DllName::Kind::kBare : DllName::Kind::kRelative;
    name.text = std::move(text);
  }
  name.base = std::string(base::BaseName(name.text));
  return name;
}

void WindowsSearch::SetPath(std::string_view text) {
  path.clear();
  for (const std::string& element : base::SplitWords(text, ";")) {
    std::string directory = element;
    std::erase(directory, '"');
    const std::string_view trimmed = base::Trim(directory);
    if (!trimmed.empty()) path.push_back(base::FromWindowsPath(trimmed, working_directory));
  }
}

std::vector<SearchPlace> WindowsSearch::Standard(const std::string& first, Via via) const {
  std::vector<SearchPlace> places;
  const auto add = [&](const std::string& directory, Via how) {
    if (!directory.empty()) places.push_back({directory, how});
  };
  add(first, via);
  if (dll_directory) {
    add(*dll_directory, Via::kAddDllDirectory);
  } else if (!safe_mode) {
    add(working_directory, Via::kCurrentDirectory);
  }
  add(system_directory, Via::kSystemDir);
  add(base::JoinPath(windows_directory, "System"), Via::kSystemDir);
  add(windows_directory, Via::kSystemDir);
  if (!dll_directory && safe_mode) add(working_directory, Via::kCurrentDirectory);
  for (const std::string& directory : path) add(directory, Via::kEnvironmentPath);
  return places;
}

std::optional<std::vector<SearchPlace>> WindowsSearch::Places(const DllName& name, uint32_t flags) const {
  const bool altered = (flags & kAlteredSearchPath) != 0;
  uint32_t search = flags & kAllSearchFlags;
  if (altered && search != 0) return std::nullopt;
  if (search == 0 && default_flags != 0) {
    search = default_flags;
    if (altered) search |= kSearchDllLoadDir;
  }
  if (search == 0) {
    if (altered && name.kind != DllName::Kind::kBare) {
      return Standard(Directory(base::FromWindowsPath(name.text, working_directory)), Via::kDllDir);
    }
    return Standard(exe_directory, Via::kExeDir);
  }
  if ((search & kSearchDllLoadDir) != 0 && !name.absolute) return std::nullopt;
  if ((search & kSearchDefaultDirs) != 0) {
    search |= kSearchApplicationDir | kSearchUserDirs | kSearchSystem32;
  }
  std::vector<SearchPlace> places;
  if ((search & kSearchDllLoadDir) != 0) places.push_back({Directory(name.text), Via::kDllDir});
  if ((search & kSearchApplicationDir) != 0 && !exe_directory.empty()) {
    places.push_back({exe_directory, Via::kExeDir});
  }
  if ((search & kSearchUserDirs) != 0) {
    for (const std::string& directory : user_directories) {
      places.push_back({directory, Via::kAddDllDirectory});
    }
    if (dll_directory && !dll_directory->empty()) places.push_back({*dll_directory, Via::kAddDllDirectory});
  }
  if ((search & kSearchSystem32) != 0) places.push_back({system_directory, Via::kSystemDir});
  return places;
}

}  // namespace culprit::loader
