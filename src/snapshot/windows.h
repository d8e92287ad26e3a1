// What decides about loading on Windows beyond the files themselves. Paths are spelled as everywhere inside
// culprit: "/C:/Windows/System32" (base/windows_path.h).
#pragma once

#include <string>
#include <vector>

#include "snapshot/fact.h"

namespace culprit::snapshot {

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

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("directory", self.directory);
    visit("present", self.present);
    visit("version", self.version);
    visit("known_dlls", self.known_dlls);
    visit("safe_search", self.safe_search);
    visit("long_paths", self.long_paths);
    visit("machine_path", self.machine_path);
    visit("user_path", self.user_path);
  }
  bool operator==(const WindowsFacts&) const = default;
};

}  // namespace culprit::snapshot
