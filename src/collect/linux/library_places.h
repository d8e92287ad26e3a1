// Directories of a machine in which CUDA libraries may lie: those of LD_LIBRARY_PATH and of ld.so.cache, the
// usual ones of data/libraries.toml, those of the Python environments, and what CUDA_HOME and its kind name.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "collect/stack.h"
#include "snapshot/file_view.h"

namespace culprit::collect {

// Existing directories, each once whatever links lead to it, under the name found first. Of ld.so.cache only
// directories count that hold a name beginning with `prefix` ("libcudnn").
std::vector<std::string> LibraryPlaces(const Surroundings& around,
                                       std::span<const snapshot::PythonEnvironment> environments,
                                       snapshot::FileView& view, std::string_view prefix);

}  // namespace culprit::collect
