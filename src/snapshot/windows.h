// What decides about loading on Windows beyond the files themselves. Paths are spelled as everywhere inside
// culprit: "/C:/Windows/System32" (base/windows/path.h).
#pragma once

#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "snapshot/fact.h"

namespace culprit::snapshot {

// One copy of a DLL of the Visual C++ runtime, or of zlibwapi, wherever a search may come by.
struct WindowsRuntime {
  std::string name;     // "vcruntime140_1.dll"
  std::string path;     // as found
  std::string version;  // of its version resource: "14.38.33135.0"; "" it has none
  std::string machine;  // "x86-64", "386"; "" it is no DLL

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("name", self.name);
    visit("path", self.path);
    visit("version", self.version);
    visit("machine", self.machine);
  }
  bool operator==(const WindowsRuntime&) const = default;
};

struct WindowsFacts {
  std::string directory = "/C:/Windows";
  // False: the tree has no Windows directory. Its own DLLs (data/windows.toml) are assumed to be there.
  bool present = false;
  std::string version;                  // "10.0.19045"; "" not known
  std::vector<std::string> known_dlls;  // lower case; empty: those of data/windows.toml
  bool safe_search = true;              // SafeDllSearchMode
  bool long_paths = false;              // LongPathsEnabled
  // PATH as the registry has it, variables expanded: what a new shell will see is machine + user.
  Fact<std::string> machine_path;
  Fact<std::string> user_path;
  std::vector<WindowsRuntime> runtime;  // in the order of the directories that were looked at

  // Of the programs that were named: the one in whose process each runs, where that is not its own.
  std::map<std::string, std::string> hosts;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("directory", self.directory);
    visit("present", self.present);
    visit("version", self.version);
    visit("known_dlls", self.known_dlls);
    // What is false is left out of JSON, so the flag is written by its unusual state.
    bool unsafe_search = !self.safe_search;
    visit("unsafe_search", unsafe_search);
    if constexpr (!std::is_const_v<Self>) self.safe_search = !unsafe_search;
    visit("long_paths", self.long_paths);
    visit("machine_path", self.machine_path);
    visit("user_path", self.user_path);
    visit("runtime", self.runtime);
    visit("hosts", self.hosts);
  }
  bool operator==(const WindowsFacts&) const = default;
};

}  // namespace culprit::snapshot
