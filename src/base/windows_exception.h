// The exception codes with which Windows terminates a process.
#pragma once

#include <cstdint>
#include <string>

namespace culprit::base {

// "EXCEPTION_ACCESS_VIOLATION"; the number, "0xC0000096", for codes without a name here.
std::string WindowsExceptionName(uint32_t code);

}  // namespace culprit::base
