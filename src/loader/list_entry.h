// An entry of a list of directories (LD_LIBRARY_PATH, PATH ...) that is written the wrong way: what somebody
// meant with it. The loader takes the whole text between two colons as one directory.
#pragma once

#include <string>
#include <vector>

#include "snapshot/file_view.h"

namespace culprit::loader {

struct ListEntry {
  std::vector<std::string> directories;  // the entry itself if nothing is wrong with it
  std::string what{};                    // is wrong with the entry: "has quotes in it"; "" nothing
};

// `home` is the user's directory, "" if it is unknown.
ListEntry CorrectListEntry(snapshot::FileView& view, const std::string& home, const std::string& entry);

}  // namespace culprit::loader
