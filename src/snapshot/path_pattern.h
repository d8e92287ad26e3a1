// Patterns of absolute paths, as data/libraries.toml names the usual directories: "/usr/local/cuda*/lib64".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "snapshot/file_view.h"

namespace culprit::snapshot {

// "*" stands for any run of characters; there is no other sign.
bool MatchesPattern(std::string_view name, std::string_view pattern);

// The paths that a pattern stands for, in the order of the directories' names. A component with a "*" is
// looked up and gives what is there (plain files are left out); the others are taken as they are, so a result
// need not exist.
std::vector<std::string> ExpandPattern(FileView& view, std::string_view pattern);

}  // namespace culprit::snapshot
