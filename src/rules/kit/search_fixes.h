// Fixes for libraries that are there, and that the loader does not find: it is told where they are.
#pragma once

#include <string>

#include "rules/kit/loading/failed_loads.h"

namespace culprit::rules {

// Lets the loader find a directory: through ld.so.conf for a directory of the system, for this one process
// where it belongs to a Python environment or a home.
report::Fix SearchToo(const Scene& scene, const FailedLoad& failed, const std::string& directory);
// For everybody, through ld.so.conf.
report::Fix SearchByLdconfig(const FailedLoad& failed, const std::string& directory);

// Windows: whether PATH (or the current directory behind System32) had a say in this search.
bool SearchesPath(const loader::Request& request);

// The finding for a library that lies where the loader does not look: every copy with its version, and that
// fix.
void FireNotSearched(const Scene& scene, const FailedLoad& failed, Ruling& ruling);

}  // namespace culprit::rules
