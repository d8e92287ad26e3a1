// Draws the contents of one library or program of a tree: its soname, what it requests under which names, its
// run paths, symbol versions and flags.
#pragma once

#include <string>
#include <vector>

#include "generate_paths.h"
#include "tree.h"

namespace culprit::gold {

class LibraryGenerator {
 public:
  LibraryGenerator(Random& random, const LoaderTraits& traits, Tree& tree, PathGenerator& paths)
      : random_(random), traits_(traits), tree_(tree), paths_(paths) {}

  // The library names[index], for the file at `path`.
  TreeFile Library(size_t index, const std::string& path);
  Fault DrawFault();
  // A tag and a name that library `index` requests; the program's `index` is SIZE_MAX.
  Stamp::Request DrawRequest(size_t index, const std::string& path);
  std::string DrawName(size_t index, const std::string& path);
  void DrawRunPaths(Stamp& stamp, const std::string& path, unsigned chance);
  // For names that the stamp already requests.
  void DrawVersionNeeds(Stamp& stamp);

  std::vector<std::string> names;
  bool healthy = false;  // few things go wrong

 private:
  void Note(const std::string& feature) { ++tree_.features[feature]; }

  Random& random_;
  const LoaderTraits& traits_;
  Tree& tree_;
  PathGenerator& paths_;
};

}  // namespace culprit::gold
