// Which folder of src/ may see which, and a reader of the source tree that reports everything against it.
// design.md, part 2: data flows one way, and everything after the snapshot is pure.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace culprit::layers {

// Folder -> the folders whose headers it may include (its own always).
const std::map<std::string, std::set<std::string>>& AllowedIncludes();

// Each returns one line per violation below `src`, sorted; an empty list means the tree is clean.
std::vector<std::string> ForbiddenIncludes(const std::filesystem::path& src);
std::vector<std::string> DifferingSeesLists(const std::filesystem::path& src);
std::vector<std::string> ForbiddenNames(const std::filesystem::path& src);
// A source or test that begins with its own header has said its piece there.
std::vector<std::string> FilesWithoutOpeningComment(const std::filesystem::path& src);

}  // namespace culprit::layers
