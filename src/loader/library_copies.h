// Copies of a library on a machine, whether or not a loader would look there: the searched directories, those
// of ld.so.cache and ld.so.conf, the usual places of toolkits and of other software, and the active Python
// environments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/loading.h"
#include "snapshot/file_view.h"
#include "snapshot/snapshot.h"

namespace culprit::loader {

// Existing directories without duplicates (symlinks resolved), most important first.
std::vector<std::string> LibraryDirectories(const snapshot::Snapshot& snapshot, snapshot::FileView& view);

struct LibraryCopy {
  std::string path;
  std::string real_path;
  snapshot::FileId id;
};

// Files in `directories` named `name`, or `name` with more version numbers, or `name` as auditwheel renames
// it (libcudnn-1a2b3c4d.so.9). One per file.
std::vector<LibraryCopy> FindCopies(const std::vector<std::string>& directories, snapshot::FileView& view,
                                    std::string_view name);

// What a loader would make of a file, as far as the file alone tells: not whether it is for this CPU.
base::LoadOutcome OutcomeOfFile(const snapshot::FileFacts& file);

}  // namespace culprit::loader
