// Where Windows looks for a DLL: the name as a program gives it, and the directories in order. The rules are
// Microsoft's ("Dynamic-link library search order", LoadLibraryExW, SetDefaultDllDirectories); the order
// among directories of AddDllDirectory is not documented: ntdll puts a new one in front.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loader/load_graph.h"

namespace culprit::loader {

// A name as given to LoadLibrary or written in an import table.
struct DllName {
  enum class Kind { kBare, kRelative /* with a directory */, kFull };
  Kind kind = Kind::kBare;
  std::string text;       // ".dll" added where there is no extension; kFull: in the inside spelling
  std::string base;       // last component of it
  bool absolute = false;  // kFull, and not relative to the current directory of a drive ("C:x.dll")
};
DllName ParseDllName(std::string_view given, const std::string& working_directory);

struct SearchPlace {
  std::string directory;
  Via via = Via::kDefault;
};

// What a process knows and can change about the search.
struct WindowsSearch {
  std::string exe_directory;      // "": the program is in no directory
  std::string system_directory;   // System32, or SysWOW64 for a 32-bit program
  std::string windows_directory;  //
  bool safe_mode = true;          // SafeDllSearchMode
  std::string working_directory;  // "": not known
  std::vector<std::string> path;
  std::vector<std::string> user_directories;  // AddDllDirectory, newest first
  std::optional<std::string> dll_directory;   // SetDllDirectory; "" only takes the current directory out
  uint32_t default_flags = 0;                 // SetDefaultDllDirectories

  void SetPath(std::string_view text);
  // The directories for LoadLibraryEx(name, flags): for the DLL itself and for everything it needs. nullopt:
  // these flags do not go together (error 87).
  std::optional<std::vector<SearchPlace>> Places(const DllName& name, uint32_t flags) const;

 private:
  std::vector<SearchPlace> Standard(const std::string& first, Via via) const;
};

}  // namespace culprit::loader
