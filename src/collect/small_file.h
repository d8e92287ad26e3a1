// Reads a small text file as a fact: for /proc, /sys and configuration files.
#pragma once

#include <string>

#include "snapshot/fact.h"
#include "system/system.h"

namespace culprit::collect {

// The text, absent, or why it could not be read. A file of more than 64 KiB is unreadable.
snapshot::Fact<std::string> ReadSmallFile(const system::System& system, const std::string& path);

// The first line, trimmed; "" if there is none.
std::string FirstLine(const snapshot::Fact<std::string>& text);

}  // namespace culprit::collect
