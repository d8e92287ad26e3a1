// Whether a path lies within what a collector declares to read (stack.h), for the tests that hold the
// collectors to it.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/text.h"
#include "collect/stack.h"
#include "snapshot/path_pattern.h"

namespace culprit::collect {

using Components = std::span<const std::string>;

inline bool Matches(Components path, Components pattern) {
  if (pattern.empty()) return path.empty();
  if (pattern.front() == "**") {
    for (size_t skipped = 0; skipped <= path.size(); ++skipped) {
      if (Matches(path.subspan(skipped), pattern.subspan(1))) return true;
    }
    return false;
  }
  return !path.empty() && snapshot::MatchesPattern(path.front(), pattern.front()) &&
         Matches(path.subspan(1), pattern.subspan(1));
}

// At the pattern or above it. Above "**" lies only what stands before it: else everything would.
inline bool MatchesOrAbove(const std::string& path, const std::string& pattern) {
  const std::vector<std::string> parts = base::SplitWords(path, "/"), signs = base::SplitWords(pattern, "/");
  if (Matches(parts, signs)) return true;
  if (parts.size() >= signs.size()) return false;
  const Components above = Components(signs).first(parts.size());
  return std::ranges::find(above, "**") == above.end() && Matches(parts, above);
}

// `meanings` gives what the name at the start of a pattern stands for: "PATH" of "$PATH/*".
inline bool IsDeclared(const CollectorInfo& collector, const std::string& path,
                       const std::function<std::vector<std::string>(const std::string&)>& meanings) {
  for (const std::string_view pattern : collector.reads) {
    if (!pattern.starts_with('$')) {
      if (MatchesOrAbove(path, std::string(pattern))) return true;
      continue;
    }
    const size_t end = std::min(pattern.find('/'), pattern.size());
    for (const std::string& meaning : meanings(std::string(pattern.substr(1, end - 1)))) {
      if (MatchesOrAbove(path, meaning + std::string(pattern.substr(end)))) return true;
    }
  }
  return false;
}

}  // namespace culprit::collect
