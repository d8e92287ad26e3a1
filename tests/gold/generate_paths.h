// Draws paths of files and lists of directories for a tree, the odd ones among them.
#pragma once

#include <string>
#include <vector>

#include "tree.h"

namespace culprit::gold {

class PathGenerator {
 public:
  PathGenerator(Random& random, Tree& tree) : random_(random), tree_(tree) {}

  // A search path as it stands in a file of directory `from`, or in LD_LIBRARY_PATH.
  std::string List(const std::string& from, const std::string& separator);
  // A path with '/' to some copy of `name`, as a file at `from_file` may write it. May lead nowhere.
  std::string FilePath(const std::string& from_file, const std::string& name);

  std::vector<std::string> directories;  // below the root
  unsigned covering = 50;                // percent of the lists that name all of them
  bool has_directory_link = false, has_locked = false, has_directory_loop = false;

 private:
  std::string Element(const std::string& from);
  std::string Directory(const std::string& from, const std::string& directory);
  void Note(const std::string& feature) { ++tree_.features[feature]; }

  Random& random_;
  Tree& tree_;
};

}  // namespace culprit::gold
