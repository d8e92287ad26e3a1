// A small text of the machine as a fact: /proc, /sys and configuration are read through this.
#pragma once

#include <string>

#include "snapshot/fact.h"
#include "system/system.h"

namespace culprit::collect {

// The text, or absent, or why it could not be read. More than 64 KiB counts as not readable.
snapshot::Fact<std::string> ReadSmallFile(const system::System& system, const std::string& path);

// The first line, without spaces around it; "" when there is nothing to read.
std::string FirstLine(const snapshot::Fact<std::string>& text);

}  // namespace culprit::collect
