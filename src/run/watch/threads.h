// What the threads of a process and of its descendants are doing right now, from /proc.
#pragma once

#include <cstdint>
#include <vector>

#include "snapshot/record/run.h"
#include "system/system.h"

namespace culprit::watch {

std::vector<record::Thread> ThreadsOf(const system::System& machine, int64_t process);

}  // namespace culprit::watch
