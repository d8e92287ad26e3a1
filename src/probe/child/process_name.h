// The name of the program of a process, as far as its number means the same here as to the driver.
#pragma once

#include <cstdint>
#include <string>

namespace culprit::prober {

// "" where that is not sure: in a container the driver may count processes otherwise.
std::string ProcessName(uint64_t pid);
uint64_t OwnProcess();

}  // namespace culprit::prober
