// Directories that exist, each once, in the order in which they were named.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/windows/path.h"
#include "snapshot/file_view.h"
#include "snapshot/path_pattern.h"

namespace culprit::snapshot {

class DirectorySet {
 public:
  explicit DirectorySet(FileView& view) : view_(view) {}

  // One that is not absolute is left out.
  void Add(std::string_view directory) {
    std::string path = base::CleanPath(directory);
    if (!path.starts_with('/') || !asked_.insert(Key(path)).second) return;
    if (view_.Directory(path) != PathError::kNone) return;
    if (real_.insert(Key(view_.RealPath(path))).second) directories_.push_back(std::move(path));
  }
  void AddPattern(const std::string& pattern) {
    for (const std::string& path : ExpandPattern(view_, pattern)) Add(path);
  }

  std::vector<std::string> Take() { return std::move(directories_); }

 private:
  static std::string Key(const std::string& path) {
    return base::IsWindowsPath(path) ? base::FoldCase(path) : path;
  }

  FileView& view_;
  std::set<std::string> asked_;
  std::set<std::string> real_;
  std::vector<std::string> directories_;
};

}  // namespace culprit::snapshot
