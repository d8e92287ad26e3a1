// A generated tree: libraries, links and broken files in directories, a program, and the environment in which
// it is started. '@' in any string stands for the root of the tree until it is built.
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
  std::string target;       // of a link, as it is written
  bool unreadable = false;  // mode 000
};

struct Tree {
  uint64_t seed = 0;
  std::vector<TreeFile> files;  // directories that lead to them are made on the way; files[0] is the program
  std::string start;            // how the program is named when it is started
  std::string working_directory;
  std::map<std::string, std::string> environment;
  std::vector<std::string> calls;       // arguments of program.c
  std::map<std::string, int> features;  // what occurs in it, for the statistics
};

// What the real loader was seen to do on this machine; makes the trees fit.
struct LoaderTraits {
  std::string interpreter;                // path, as PT_INTERP names it
  std::string soname;                     // its last component
  std::string lib;                        // what $LIB stands for
  std::string platform;                   // what $PLATFORM stands for
  std::vector<std::string> hwcaps_dirs;   // sub-directories tried in every directory, "" not included
  std::vector<std::string> system_names;  // sonames that the system has
  std::string libc;                       // soname of the C library
  bool musl = false;                      // restricts the trees to what musl knows
};

Tree GenerateTree(uint64_t seed, const LoaderTraits& traits);

struct Templates {
  std::string program, library;  // contents
};

// Makes the files below `root`, which must exist; replaces '@' by it in the returned tree.
Tree BuildTree(const Tree& tree, const Templates& templates, const std::string& root);
// Removes what BuildTree made, whatever its modes.
void RemoveTree(const std::string& root);

// The path by which a built tree's program is started, absolute.
std::string StartPath(const Tree& tree);
// DT_AUXILIARY and DT_FILTER reorder the list that LD_TRACE_LOADED_OBJECTS prints, and hide part of it.
bool HasFilters(const Tree& tree);

// For a person: every file, the environment, the calls.
std::string Describe(const Tree& tree);

}  // namespace culprit::gold
