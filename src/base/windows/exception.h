// The exception codes with which Windows ends a process that crashed.
#pragma once

#include <cstdint>
#include <string>

namespace culprit::base {

// "EXCEPTION_ACCESS_VIOLATION"; "0xC0000096" for one without a name here.
std::string WindowsExceptionName(uint32_t code);

}  // namespace culprit::base
