// Fixes for libraries that exist but that the loader does not find: tell it where they are.
#pragma once

#include <string>

#include "rules/kit/loading/failed_loads.h"

namespace culprit::rules {

// Makes the loader search a directory: through ld.so.conf for a system directory, for this process only if
// the directory belongs to a Python environment or a home.
report::Fix SearchToo(const Scene& scene, const FailedLoad& failed, const std::string& directory);
// System-wide, through ld.so.conf.
report::Fix SearchByLdconfig(const FailedLoad& failed, const std::string& directory);

// Windows: whether this search included PATH (or the current directory behind System32).
bool SearchesPath(const loader::Request& request);

// Every copy with its version as evidence; `otherwise` is said of one without.
void AddCopies(const Scene& scene, const FailedLoad& failed, const std::string& otherwise,
               report::Finding& finding);
// The finding for a library in a directory that the loader does not search: every copy with its version, and
// the fix.
void FireNotSearched(const Scene& scene, const FailedLoad& failed, Ruling& ruling);

}  // namespace culprit::rules
