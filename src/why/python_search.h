// How a Python on Windows asks for a library: 3.8 and later leaves PATH out for its modules and what they
// need.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loader/load.h"
#include "snapshot/snapshot.h"

namespace culprit::why {

// The flags of LoadLibraryEx with which the program of `question` gets `library`: 0 unless it is such a
// Python. What is to be said about it goes to `notes`.
uint32_t PythonFlags(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                     const loader::Question& question, const std::string& library,
                     std::vector<std::string>& notes);

}  // namespace culprit::why
