// Directories that may contain CUDA libraries: from LD_LIBRARY_PATH and ld.so.cache, the usual ones from
// data/libraries.toml, those of the Python environments, and those that CUDA_HOME and similar variables name.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "collect/stack.h"
#include "snapshot/file_view.h"

namespace culprit::collect {

// Existing directories, each once, under the first name found. From ld.so.cache, only directories that
// contain a name starting with `prefix` ("libcudnn").
std::vector<std::string> LibraryPlaces(const Surroundings& around,
                                       std::span<const snapshot::PythonEnvironment> environments,
                                       snapshot::FileView& view, std::string_view prefix);

}  // namespace culprit::collect
