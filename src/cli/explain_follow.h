// culprit explain --follow: the stream passes through, and culprit speaks as soon as the failure appears.
#pragma once

#include <functional>
#include <span>

#include "explain/logs/symptom.h"
#include "system/stream.h"

namespace culprit::cli {

// Copies `in` to standard output byte for byte. `speak` is called with everything seen so far when a failure
// has appeared and its lines are complete, and once more at the end if more was seen since. The exit status.
int Follow(system::InputStream& in,
           const std::function<void(std::span<const logs::Symptom>, uint64_t lines)>& speak);

}  // namespace culprit::cli
