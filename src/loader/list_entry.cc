#include "loader/list_entry.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace culprit::loader {
namespace {

// The value of what stands for the home directory at the start of an entry; the entry itself otherwise.
std::string ExpandHome(const std::string& home, const std::string& entry) {
  if (home.empty()) return entry;
  for (const std::string_view start : {"~", "$HOME", "${HOME}"}) {
    if (entry == start || entry.starts_with(std::string(start) + "/"))
      return home + entry.substr(start.size());
  }
  return entry;
}

bool IsDirectory(snapshot::FileView& view, const std::string& path) {
  return path.starts_with('/') && view.Directory(base::CleanPath(path)) == base::PathError::kNone;
}

bool StartsLikePath(const std::string& part) {
  return part.starts_with('/') || part.starts_with('~') || part.starts_with('$');
}

}  // namespace

ListEntry CorrectListEntry(snapshot::FileView& view, const std::string& home, const std::string& entry) {
  ListEntry result;
  if (entry.empty() || IsDirectory(view, entry)) return {{entry}};
  std::string text = entry;
  if (std::erase_if(text, [](char c) { return c == '"' || c == '\''; }) > 0) result.what = "has quotes in it";
  const size_t separator = text.find_first_of(",;");
  const std::vector<std::string> parts =
      separator == std::string::npos ? std::vector{text} : base::SplitWords(text, ",;");
  if (parts.size() > 1 && std::ranges::all_of(parts, StartsLikePath)) {
    result.what = std::string("separates directories with \"") + text[separator] + "\"";
    result.directories = parts;
  } else {
    result.directories = {text};
  }
  for (std::string& part : result.directories) {
    const std::string expanded = ExpandHome(home, part);
    if (expanded != part && result.what.empty())
      result.what = part.starts_with('~') ? "has a \"~\" that no shell expanded"
                                          : "has a \"$HOME\" that no shell expanded";
    part = expanded;
  }
  if (!result.what.empty()) return result;
  const bool library = entry.starts_with('/') && base::Contains(base::BaseName(entry), ".so");
  const snapshot::FileFacts& file = view.Open(base::CleanPath(entry));
  if (library && file.error == base::PathError::kNone && file.kind == snapshot::FileKind::kRegular)
    return {{std::string(base::DirName(entry))}, "names a file where a directory belongs"};
  return {{entry}};
}

}  // namespace culprit::loader
