// Sentences in a terminal: broken between words, so that a line stays readable.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace culprit::render {

// At most `width` bytes a line, but a word is never broken. Printable.
std::vector<std::string> Wrapped(std::string_view text, size_t width);

}  // namespace culprit::render
