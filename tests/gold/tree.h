// A generated tree: libraries, symlinks and broken files in directories, a program, and the environment in
// which it is started. '@' in any string stands for the root of the tree until it is built.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "random.h"
#include "stamp.h"

namespace culprit::gold {

struct TreeFile {
  enum class Kind { kLibrary, kProgram, kLink, kDirectory, kText };
  std::string path;  // below the root, without a leading '/'
  Kind kind = Kind::kLibrary;
  Stamp stamp;
  Fault fault = Fault::kNone;
  std::string target;       // of a symlink, as written
  bool unreadable = false;  // mode 000
};

struct Tree {
  uint64_t seed = 0;
  std::vector<TreeFile> files;  // parent directories are created as needed; files[0] is the program
  std::string start;            // the name under which the program is started
  std::string working_directory;
  std::map<std::string, std::string> environment;
  std::vector<std::string> calls;       // arguments of program.c
  std::map<std::string, int> features;  // what occurs in it, for the statistics
};

// Traits of the real loader on this machine; the trees are adapted to them.
struct LoaderTraits {
  std::string interpreter;                // path, as PT_INTERP names it
  std::string soname;                     // its last component
  std::string lib;                        // value of $LIB
  std::string platform;                   // value of $PLATFORM
  std::vector<std::string> hwcaps_dirs;   // subdirectories tried in every directory, without ""
  std::vector<std::string> system_names;  // sonames that the system has
  std::string libc;                       // soname of the C library
  bool musl = false;                      // restricts the trees to what musl supports
};

Tree GenerateTree(uint64_t seed, const LoaderTraits& traits);

struct Templates {
  std::string program, library;  // contents
};

// Creates the files below `root`, which must exist; replaces '@' with it in the returned tree.
Tree BuildTree(const Tree& tree, const Templates& templates, const std::string& root);
// Removes what BuildTree made, whatever its permissions.
void RemoveTree(const std::string& root);

// The absolute path by which a built tree's program is started.
std::string StartPath(const Tree& tree);
// DT_AUXILIARY and DT_FILTER reorder the list that LD_TRACE_LOADED_OBJECTS prints, and hide part of it.
bool HasFilters(const Tree& tree);

// For people: every file, the environment, the calls.
std::string Describe(const Tree& tree);

}  // namespace culprit::gold
