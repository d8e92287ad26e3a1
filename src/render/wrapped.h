// Wraps sentences for the terminal, between words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace culprit::render {

// At most `width` bytes per line, but words are never broken. Printable.
std::vector<std::string> Wrapped(std::string_view text, size_t width);

}  // namespace culprit::render
