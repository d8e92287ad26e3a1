// What several rules ask of a load graph, and fixes that several rules give.
#pragma once

#include <string>

#include "knowledge/libraries.h"
#include "loader/load_graph.h"
#include "rules/rule.h"

namespace culprit::rules {

// How the object at `path` was found, in words: "LD_LIBRARY_PATH", "RUNPATH of /x/liby.so", "ld.so.cache".
std::string FoundThrough(const loader::LoadGraph& graph, const std::string& path);

// The same of a process that was seen, with who asked for it: "LD_LIBRARY_PATH, needed by /x/liby.so"; where
// only a search for its name leads there: "LD_LIBRARY_PATH or by its full path".
std::string CameThrough(const loader::Scenario& scenario, const loader::Object& object);

// The fix that takes a directory out of LD_LIBRARY_PATH: unset it when nothing else is in it.
report::Fix WithoutSearchDirectory(const Scene& scene, const std::string& directory);

}  // namespace culprit::rules
