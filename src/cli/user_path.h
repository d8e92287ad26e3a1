// A path as the user wrote it -> a path of the machine that is looked at.
#pragma once

#include <string>

#include "system/system.h"

namespace culprit::cli {

// Relative ones start in the machine's working directory. On a Windows machine "C:\a", "a\b" and "/C:/a" are
// all understood. A file of culprit's own (--env FILE, a snapshot) is one of system::RealSystem().
std::string InsidePath(const system::System& machine, const std::string& path);

}  // namespace culprit::cli
