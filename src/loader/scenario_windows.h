// Scenarios that only a Windows machine has.
#pragma once

#include <vector>

#include "loader/scenario.h"

namespace culprit::loader {

// Which nvcuda.dll and nvml.dll a program of this shell gets.
Scenario AnyWindowsProgram(const snapshot::Snapshot& snapshot, snapshot::FileView& view);

// One for each major version of cuDNN that was installed for everybody: a program asks for it by name.
void AddCudnnUsers(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                   std::vector<Scenario>& scenarios);

}  // namespace culprit::loader
