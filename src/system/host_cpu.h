// The CPU of the machine that this program runs on, as its dynamic loader would see it.
#pragma once

#include <cstdint>

#include "base/cpu.h"

namespace culprit::system {

base::Cpu ReadHostCpu();
uint64_t HostPageSize();

}  // namespace culprit::system
