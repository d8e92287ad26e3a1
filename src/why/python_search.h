// How Python on Windows searches for a library: 3.8 and later ignores PATH for its modules and their
// dependencies.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loader/load.h"
#include "snapshot/snapshot.h"

namespace culprit::why {

// The LoadLibraryEx flags with which the program of `question` gets `library`: 0 unless it is such a Python.
// Adds remarks to `notes`.
uint32_t PythonFlags(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                     const loader::Question& question, const std::string& library,
                     std::vector<std::string>& notes);

}  // namespace culprit::why
