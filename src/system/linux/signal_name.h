// The names that people know signals by.
#pragma once

#include <string>

namespace culprit::system {

std::string SignalName(int number);  // "SIGSEGV"; "signal 40" for one without a name

}  // namespace culprit::system
