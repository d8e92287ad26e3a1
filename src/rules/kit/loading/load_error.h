// Reads a loader's error message: which file failed to load, and why.
#pragma once

#include <string>
#include <string_view>

namespace culprit::rules {

struct LoadError {
  std::string library;  // file name; "" = not named
  std::string reason;   // "file too short"
  std::string cause;    // slug; "not-found" if only the caller knows what that means; "" = unknown
};

// Uses the most specific line of `words`.
LoadError ReadLoadError(std::string_view words);

}  // namespace culprit::rules
