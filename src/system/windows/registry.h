// The registry of the Windows machine that this program runs on.
#pragma once

#include <string>

#include "system/system.h"

namespace culprit::system {

// As System::ReadRegistry.
Outcome<RegistryKey> ReadRegistryKey(const std::string& key);

}  // namespace culprit::system
