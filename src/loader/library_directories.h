// A list of directories that exist, each once, in the order in which they were named.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "snapshot/snapshot.h"

namespace culprit::loader {

class DirectorySet {
 public:
  explicit DirectorySet(snapshot::FileView& view) : view_(view) {}

  void Add(std::string_view directory) {
    const std::string path = base::CleanPath(directory);
    if (!path.starts_with('/') || !asked_.insert(path).second) return;
    if (view_.Directory(path) != base::PathError::kNone) return;
    if (real_.insert(view_.RealPath(path)).second) directories_.push_back(path);
  }

  std::vector<std::string> Take() { return std::move(directories_); }

 private:
  snapshot::FileView& view_;
  std::set<std::string> asked_;
  std::set<std::string> real_;
  std::vector<std::string> directories_;
};

std::vector<std::string> WindowsLibraryDirectories(const snapshot::Snapshot& snapshot,
                                                   snapshot::FileView& view);

}  // namespace culprit::loader
