// /etc/ld.so.conf, as ldconfig(8) reads it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "system/system.h"

namespace culprit::system {

inline constexpr char kLoaderConf[] = "/etc/ld.so.conf";
inline constexpr uint64_t kLoaderConfLimit = 1 << 20;

struct LoaderConf {
  std::vector<std::string> files;  // in the order in which they are read, those that it includes too
  std::vector<std::string> directories;
};

// Without files if there is no such file, or it cannot be read.
LoaderConf ReadLoaderConf(const System& machine);

// "/usr/lib/x/ = libc6  # why" -> "/usr/lib/x"; "" for a line that names none.
std::string DirectoryOfLine(std::string_view line);

}  // namespace culprit::system
