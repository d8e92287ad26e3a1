// Whole directories: another one made of the same files, and what makes two differ.
#pragma once

#include <string>

#include "base/error.h"

namespace culprit::apply {

// Everything of `from` in the empty directory `to`: files as further names of the same files where that can
// be, with owner, mode and times. Refuses what is neither file, link nor directory.
base::Result<void> CopyTree(int from, int to);
// Moves everything of `from` into `to`; directories of both become one, other things are replaced.
base::Result<void> MoveInto(int from, int to);
// A file below `top`, by its relative path, and what Python compiled of it; directories that become empty go.
// Nothing there is fine; a path that leads out of `top`, or through a link, is an error.
base::Result<void> RemoveBelow(int top, const std::string& path);
// Of all names, kinds, sizes, times and targets below. Left out is what Python writes by itself.
std::string HashOfTree(int top);

}  // namespace culprit::apply
