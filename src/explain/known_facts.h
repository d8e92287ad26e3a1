// What the version tables add to a symptom, in words: which CUDA a name belongs to, what compiles for an
// architecture, which driver a release needs.
#pragma once

#include <string>
#include <vector>

#include "explain/logs/symptom.h"

namespace culprit::explain {

std::vector<std::string> KnownFacts(const logs::Symptom& symptom);

}  // namespace culprit::explain
