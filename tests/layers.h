// Which folder of src/ may see which, and a checker of the source tree that reports every violation.
// docs/architecture.md: data flows one way, and everything after the snapshot is pure.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace culprit::layers {

// A folder that is a separate library or program, and the rooms whose headers it may include (SEES in its
// CMakeLists.txt).
struct Room {
  std::filesystem::path folder;  // below src/
  std::string name;
  std::set<std::string> sees;
};
std::vector<Room> Rooms(const std::filesystem::path& src);

// Each returns one line per violation below `src`, sorted; an empty list means the tree is clean.
std::vector<std::string> ForbiddenIncludes(const std::filesystem::path& src);
std::vector<std::string> ForbiddenNames(const std::filesystem::path& src);
// A source or test that starts with its own header has its comment there.
std::vector<std::string> FilesWithoutOpeningComment(const std::filesystem::path& src);
// Files of more than 400 lines, and functions of more than 60 that are no table: their body begins and ends
// at the first column, as those do that stand in no class.
std::vector<std::string> TooLong(const std::filesystem::path& src);
// Files that decide by comparing a text with a sentence (a literal with a space between two words).
std::set<std::string> ReadersOfSentences(const std::filesystem::path& src);

}  // namespace culprit::layers
