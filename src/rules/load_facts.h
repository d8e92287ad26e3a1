// What several rules ask of a load graph, and fixes that several rules give.
#pragma once

#include <string>

#include "knowledge/libraries.h"
#include "loader/load_graph.h"
#include "rules/rule.h"

namespace culprit::rules {

// How the object at `path` was found, in words: "LD_LIBRARY_PATH", "RUNPATH of /x/liby.so", "ld.so.cache".
std::string FoundThrough(const loader::LoadGraph& graph, const std::string& path);

// Whether a variable of the shell made the process take this file (LD_LIBRARY_PATH, LD_PRELOAD), and not the
// environment to which the process belongs.
bool ForcedByVariable(const Scene& scene, const loader::Scenario& scenario, const loader::Object& object);
// The fix that takes it back: the directory out of LD_LIBRARY_PATH, the file out of LD_PRELOAD.
report::Fix WithoutVariable(const Scene& scene, const loader::Object& object);

// The fix that takes a directory out of LD_LIBRARY_PATH: unset it when nothing else is in it.
report::Fix WithoutSearchDirectory(const Scene& scene, const std::string& directory);

}  // namespace culprit::rules
