// One generated case: files, what a process does, and what is special about it. Paths are in the internal
// spelling ("/C:/gold/t5/p1"); DLL names start with the name of the tree, so that trees can share a process
// and the program's directory.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "dll_file.h"

namespace culprit::wine {

struct TreeFile {
  enum class Kind { kDll, kText, kEmpty, kShort, kSectionCut, kHeaderCut, kDirectory };
  std::string path;
  Kind kind = Kind::kDll;
  DllFile dll;
};

struct Operation {
  enum class Kind { kChangeDirectory, kPath, kDllDirectory, kAdd, kRemove, kDefaults, kLoad, kRun };
  Kind kind = Kind::kLoad;
  std::string text;  // a directory, a PATH, a name: as a program would write it
  uint32_t flags = 0;
};

struct Tree {
  std::string name;  // "t5"
  uint64_t seed = 0;
  std::vector<TreeFile> files;
  std::vector<std::string> directories;
  std::vector<Operation> operations;
  std::vector<std::string> known_dlls;
  bool safe_mode = true;
  bool changes_defaults = false;  // cannot be reverted: the last tree of its process
  std::set<std::string> features;
};

inline constexpr const char* kTop = "/C:/gold";
inline constexpr const char* kProgramDirectory = "/C:/gold/program";
inline constexpr const char* kDriver = "/C:/gold/program/driver.exe";

Tree GenerateTree(uint64_t seed, const std::string& name);

}  // namespace culprit::wine
