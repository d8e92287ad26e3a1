// Looks at a whole machine for `culprit check`: the stack, the loaders of everything that will be simulated,
// and a view of the files.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "collect/live_file_view.h"
#include "collect/stack.h"
#include "snapshot/snapshot.h"

namespace culprit::collect {

struct StackLook {
  snapshot::Snapshot snapshot;  // without recorded files
  std::unique_ptr<LiveFileView> view;
};

// `programs` are absolute paths whose loaders must be known.
StackLook LookAtStack(const Surroundings& around, const std::vector<std::string>& programs,
                      std::chrono::milliseconds limit);

}  // namespace culprit::collect
