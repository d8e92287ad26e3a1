// What the words of a loader say: which file, and why it could not be loaded.
#pragma once

#include <string>
#include <string_view>

namespace culprit::rules {

struct LoadError {
  std::string library;  // file name; "" = none is named
  std::string reason;   // "file too short"
  std::string cause;    // slug; "not-found" where only the asker knows what that means; "" = not told
};

// By the line of `words` that says most.
LoadError ReadLoadError(std::string_view words);

}  // namespace culprit::rules
