// culprit explain --follow: passes the stream through, and explains a failure as soon as it appears.
#pragma once

#include <functional>
#include <span>

#include "explain/logs/symptom.h"
#include "system/stream.h"

namespace culprit::cli {

// Copies `in` to standard output. Calls `speak` with everything seen so far when the lines of a failure are
// complete, and again at the end if there was more. Returns the exit status.
int Follow(system::InputStream& in,
           const std::function<void(std::span<const logs::Symptom>, uint64_t lines)>& speak);

}  // namespace culprit::cli
