// The RE2 of distributions has its own string view type.
#pragma once

#include <re2/re2.h>

#include <string_view>

namespace culprit::logs {

inline re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace culprit::logs
