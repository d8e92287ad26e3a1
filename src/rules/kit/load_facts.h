// Questions about a load graph, and fixes, that several rules share.
#pragma once

#include <string>

#include "knowledge/libraries.h"
#include "loader/load_graph.h"
#include "rules/rule.h"

namespace culprit::rules {

// How the object at `path` was found, in words: "LD_LIBRARY_PATH", "RUNPATH of /x/liby.so", "ld.so.cache".
std::string FoundThrough(const loader::LoadGraph& graph, const std::string& path);

// The same for an observed process, with the requester: "LD_LIBRARY_PATH, needed by /x/liby.so"; if only a
// search for its name would lead there: "LD_LIBRARY_PATH or by its full path".
std::string CameThrough(const loader::Scenario& scenario, const loader::Object& object);

// Removes a directory from LD_LIBRARY_PATH (PATH on Windows); unsets the variable if nothing else is in it.
report::Fix WithoutSearchDirectory(const Scene& scene, const std::string& directory);

// Whether a file is one of cuDNN, by its name.
bool IsOfCudnn(const std::string& path);

// Whether a file that the process loads, other than NVIDIA's own, has code for a GPU.
bool HoldsGpuCode(const Scene& scene, const loader::Scenario& scenario);

}  // namespace culprit::rules
