// The last step: from a JSON value or a text to the bytes that are written.
#pragma once

#include <string>
#include <string_view>

#include "base/json_fwd.h"

namespace culprit::render {

// Indented, with a final newline; replaces invalid UTF-8 and escapes what is not seen.
// Names the file of the tables if they are not the built-in ones.
std::string JsonDocument(base::Json json);
// JSON with the same values, in which every character is seen: \u202e.
std::string VisibleJson(std::string_view json);
// Text as a fenced block to paste into an issue.
std::string MarkdownDocument(const std::string& title, const std::string& text);

}  // namespace culprit::render
