// The CPU of the machine that culprit runs on, as the dynamic loader sees it.
#pragma once

#include <cstdint>

#include "base/cpu.h"

namespace culprit::system {

base::Cpu ReadHostCpu();
uint64_t HostPageSize();

}  // namespace culprit::system
