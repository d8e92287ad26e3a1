// How each framework loads its libraries when Python imports it, as steps for the loader model. The table is
// data/imports.toml; this code matches its patterns against the files of an environment.
#pragma once

#include <vector>

#include "loader/load.h"

namespace culprit::loader {

// The steps of `import <framework>` and of its first use of the GPU; without a row of its own, its libraries
// are opened. The steps are those for the snapshot's system: Windows or another.
std::vector<ImportStep> ImportSteps(const snapshot::Snapshot& snapshot,
                                    const snapshot::PythonEnvironment& environment,
                                    const snapshot::Framework& framework, snapshot::FileView& view);

}  // namespace culprit::loader
