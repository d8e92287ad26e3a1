// What the version tables add to a symptom, in words: which CUDA a name belongs to, what compiles for an
// architecture, which driver a release needs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/version.h"
#include "explain/logs/symptom.h"

namespace culprit::explain {

// "sm_86", "compute_120", "8.6" -> 8.6
std::optional<base::Version> CapabilityOf(std::string_view arch);

std::vector<std::string> KnownFacts(const logs::Symptom& symptom);

}  // namespace culprit::explain
