// Scenarios that only a Windows machine has.
#pragma once

#include <vector>

#include "loader/scenario.h"

namespace culprit::loader {

// Whether a directory is a package's or conda's own: what lies there serves those that know where it is.
bool BelongsToPython(const snapshot::Snapshot& snapshot, const std::string& directory);

// Which nvcuda.dll and nvml.dll a program of this shell gets.
Scenario AnyWindowsProgram(const snapshot::Snapshot& snapshot, snapshot::FileView& view);

// One for each major version of cuDNN that was installed for everybody: a program asks for it by name.
void AddCudnnUsers(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                   std::vector<Scenario>& scenarios);

}  // namespace culprit::loader
