// Packages that install the same files: which of them share a directory, and how to be left with one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rules/kit/python/package_changes.h"
#include "rules/rule.h"

namespace culprit::rules {

using Rivals = std::vector<const snapshot::PythonPackage*>;

// The packages `among` that lie in one directory of sys.path, each name once; in two directories they would
// not overwrite each other.
Rivals RivalsIn(const snapshot::PythonEnvironment& environment,
                const std::function<bool(const snapshot::PythonPackage&)>& among);

// "cupy-cuda11x 12.0.0 and cupy-cuda12x 13.0.0 share one directory in /opt/venv".
std::string InWords(const snapshot::PythonEnvironment& environment, const Rivals& rivals);
void AddEvidence(const Rivals& rivals, report::Finding& finding);

// Uninstalls all of them and installs `one`. What that changes is said only where its version is known.
report::Fix KeepOnly(const Scene& scene, const snapshot::PythonEnvironment& environment, const Rivals& rivals,
                     const Wanted& one, std::string text);

}  // namespace culprit::rules
