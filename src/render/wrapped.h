// Wraps sentences for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace culprit::render {

// At most `width` bytes per line, but never breaks a word. The result is printable.
std::vector<std::string> Wrapped(std::string_view text, size_t width);

}  // namespace culprit::render
