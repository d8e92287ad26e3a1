// Scenarios that only a Windows machine has.
#pragma once

#include <vector>

#include "loader/scenario.h"

namespace culprit::loader {

// Whether a directory belongs to a package or to conda: only software that knows it uses what is there.
bool BelongsToPython(const snapshot::Snapshot& snapshot, const std::string& directory);

// Which nvcuda.dll and nvml.dll a program gets in this shell.
Scenario AnyWindowsProgram(const snapshot::Snapshot& snapshot, snapshot::FileView& view);

// One for each major version of cuDNN that is installed system-wide: a program loads it by name.
std::vector<Scenario> CudnnUsers(const snapshot::Snapshot& snapshot, snapshot::FileView& view);

}  // namespace culprit::loader
