// Versions as rows and people write them: "12" means every 12.x, "12.4" every 12.4.x.
#pragma once

#include <optional>
#include <string_view>

#include "base/version.h"

namespace culprit::knowledge {

// A row's version; the build has validated it.
base::Version Known(std::string_view text);

// Whether `whole` starts with the parts of `prefix`: 12.4.1 starts with 12 and with 12.4, not with 12.40.
bool BeginsWith(const base::Version& whole, const base::Version& prefix);

// The first two parts: 12.4.1 -> 12.4; "12" stays.
base::Version MinorOf(const base::Version& version);

// "9.0", "sm_90", "sm_90a", "compute_120", "90" -> 9.0 ...; empty if it is not a compute capability. A suffix
// (a, f) is dropped: the question is about the GPU.
std::optional<base::Version> ParseCapability(std::string_view text);

}  // namespace culprit::knowledge
