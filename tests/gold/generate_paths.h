// Draws file paths and directory lists for a tree, including odd ones.
#pragma once

#include <string>
#include <vector>

#include "tree.h"

namespace culprit::gold {

class PathGenerator {
 public:
  PathGenerator(Random& random, Tree& tree) : random_(random), tree_(tree) {}

  // A search path for a file in directory `from`, or for LD_LIBRARY_PATH.
  std::string List(const std::string& from, const std::string& separator);
  // A path with '/' to some copy of `name`, as a file at `from_file` may contain it. It may not exist.
  std::string FilePath(const std::string& from_file, const std::string& name);

  std::vector<std::string> directories;  // below the root
  unsigned covering = 50;                // percentage of lists that contain all of them
  bool has_directory_link = false, has_locked = false, has_directory_loop = false;

 private:
  std::string Element(const std::string& from);
  std::string Directory(const std::string& from, const std::string& directory);
  void Note(const std::string& feature) { ++tree_.features[feature]; }

  Random& random_;
  Tree& tree_;
};

}  // namespace culprit::gold
