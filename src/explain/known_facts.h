// What the tables of compatibility add to a symptom, in words: to which CUDA a name belongs, who compiles for
// an architecture, which driver a release needs.
#pragma once

#include <string>
#include <vector>

#include "explain/logs/symptom.h"

namespace culprit::explain {

std::vector<std::string> KnownFacts(const logs::Symptom& symptom);

}  // namespace culprit::explain
