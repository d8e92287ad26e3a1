// Resolves a path component by component, as Linux does (path_resolution(7)), but without a file system: the
// caller says what is at a clean path. RootedSystem (where the platform has no call for it) and MemorySystem
// share it, so ".." above the root, absolute symlinks, loops and "file/" work in both as on a real machine.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "system/system.h"

namespace culprit::system {

// What lstat() and readlink() say about one path.
struct PathNode {
  FileType type = FileType::kOther;
  std::string link_target;  // of a link
};

// Asked for clean absolute paths without links on the way, never for "/".
using NodeLookup = std::function<Outcome<PathNode>(const std::string& path)>;

enum class LastLink { kFollow, kKeep };

constexpr size_t kLongestComponent = 255;  // NAME_MAX of Linux, whatever this program was built on

// The clean path of the file itself: no symlinks (except the last component with kKeep), no ".", no "..".
// Fails as open(2) would: kNoEntry, kNotDirectory, kLoop after 40 links, kNameTooLong, and whatever `lookup`
// says. An empty symlink target (impossible on Linux) counts as kNoEntry.
Outcome<std::string> WalkPath(std::string_view path, LastLink last, const NodeLookup& lookup);

// Puts the components of `path` before those that are still to go; the next one is at the back. "dir/" asks
// for a directory and follows a link there, just as "dir/." does.
void PrependComponents(std::string_view path, std::vector<std::string>& pending);

// kNone when a path can be asked for at all; the empty path is kNoEntry, one that is not absolute or has a
// NUL in it (and would be cut there) is kOther, one of 4096 bytes or more is kNameTooLong.
PathError CheckPath(std::string_view path);

}  // namespace culprit::system
