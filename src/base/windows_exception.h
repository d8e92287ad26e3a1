// The codes with which Windows stops a process that did something it may not.
#pragma once

#include <cstdint>
#include <string>

namespace culprit::base {

// "EXCEPTION_ACCESS_VIOLATION"; of one without a name here its number, "0xC0000096".
std::string WindowsExceptionName(uint32_t code);

}  // namespace culprit::base
