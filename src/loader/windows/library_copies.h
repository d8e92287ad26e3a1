// LibraryDirectories() of a Windows machine.
#pragma once

#include <string>
#include <vector>

#include "snapshot/snapshot.h"

namespace culprit::loader {

std::vector<std::string> WindowsLibraryDirectories(const snapshot::Snapshot& snapshot,
                                                   snapshot::FileView& view);

}  // namespace culprit::loader
