// Collects the facts about a whole machine for `culprit check`: the stack, and the loaders of everything that
// will be simulated.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "collect/live_file_view.h"
#include "collect/stack.h"
#include "snapshot/snapshot.h"

namespace culprit::collect {

struct StackLook {
  snapshot::Snapshot snapshot;  // without recorded files
  std::future<GpuCodes> codes;  // for LiveFileView::Expect; may be invalid
};

// `programs` are absolute paths whose loaders must be known. On Linux, `loads_known` is called as soon as
// everything is known that decides what they and the frameworks load, which is before the rest of the stack.
StackLook LookAtStack(
    const Surroundings& around, const std::vector<std::string>& programs, std::chrono::milliseconds limit,
    const std::function<void(std::shared_ptr<const snapshot::Snapshot>)>& loads_known = nullptr);

}  // namespace culprit::collect
