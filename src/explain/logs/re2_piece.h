// The RE2 of distributions has its own string view type.
#pragma once

#include <re2/re2.h>

#include <string_view>

namespace culprit::logs {

inline re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

// Patterns are compiled when a text first gets as far as them, which takes longer than to read a line with
// them. None matches an empty text.
inline bool Has(std::string_view text, const LazyRE2& pattern) {
  return !text.empty() && RE2::PartialMatch(Piece(text), *pattern);
}

}  // namespace culprit::logs
