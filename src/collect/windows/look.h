// Looking at one target of a Windows machine (look.h): there is one loader, so its facts are those of the
// machine, and a target is a PE file.
#pragma once

#include <string>

#include "collect/look.h"

namespace culprit::collect {

base::Result<Look> LookAtWindows(const system::System& system, const std::string& target);
base::Result<Look> LookIntoWindows(const snapshot::Snapshot& recorded, const std::string& target);

// The facts of Windows and its CPU, for the environment that the snapshot has.
void AddWindows(const system::System& system, snapshot::Snapshot& snapshot);

}  // namespace culprit::collect
