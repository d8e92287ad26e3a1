// For an error that no pattern knows: the known symptoms whose messages have most of its words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace culprit::explain {

struct Nearby {
  std::string_view symptom;
  std::string_view cause;          // its most likely one
  std::vector<std::string> words;  // that both have, the rarest first
  double weight = 0;               // of these words
};

// At most one of each cause, the nearest first; none if only common words are shared.
std::vector<Nearby> NearestSymptoms(std::string_view line, size_t most);

}  // namespace culprit::explain
