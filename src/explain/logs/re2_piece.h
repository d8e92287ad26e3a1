// RE2 of the distributions takes its own kind of string view.
#pragma once

#include <re2/re2.h>

#include <string_view>

namespace culprit::logs {

inline re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace culprit::logs
