// The program name of a process, if its id means the same here and to the driver.
#pragma once

#include <cstdint>
#include <string>

namespace culprit::prober {

// "" if that is not certain: in a container, the driver may use other process ids.
std::string ProcessName(uint64_t pid);
uint64_t OwnProcess();

}  // namespace culprit::prober
