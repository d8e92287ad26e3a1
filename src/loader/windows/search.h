// Where Windows looks for a DLL: the name as a program gives it, and the directories in order. The rules are
// Microsoft's ("Dynamic-link library search order", LoadLibraryExW, SetDefaultDllDirectories). The order
// among AddDllDirectory directories is not documented: ntdll puts the newest first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loader/load_graph.h"

namespace culprit::loader {

// A name as passed to LoadLibrary or written in an import table.
struct DllName {
  enum class Kind { kBare, kRelative /* with a directory */, kFull };
  Kind kind = Kind::kBare;
  std::string text;       // ".dll" added if there is no extension; kFull: in the internal spelling
  std::string base;       // last component of it
  bool absolute = false;  // kFull, and not relative to the current directory of a drive ("C:x.dll")
};
DllName ParseDllName(std::string_view given, const std::string& working_directory);

struct SearchPlace {
  std::string directory;
  Via via = Via::kDefault;
};

// The search settings of a process.
struct WindowsSearch {
  std::string exe_directory;      // "": the program has no directory
  std::string system_directory;   // System32, or SysWOW64 for a 32-bit program
  std::string windows_directory;  //
  bool safe_mode = true;          // SafeDllSearchMode
  std::string working_directory;  // "": unknown
  std::vector<std::string> path;
  std::vector<std::string> user_directories;  // AddDllDirectory, newest first
  std::optional<std::string> dll_directory;   // SetDllDirectory; "" only removes the current directory
  uint32_t default_flags = 0;                 // SetDefaultDllDirectories

  void SetPath(std::string_view text);
  // The directories for LoadLibraryEx(name, flags): for the DLL itself and for all its dependencies. nullopt:
  // invalid combination of flags (error 87).
  std::optional<std::vector<SearchPlace>> Places(const DllName& name, uint32_t flags) const;

 private:
  std::vector<SearchPlace> Standard(const std::string& first, Via via) const;
};

}  // namespace culprit::loader
