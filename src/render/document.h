// The last step: a JSON value or a text as output bytes.
#pragma once

#include <string>

#include "base/json_fwd.h"

namespace culprit::render {

// Indented, with a final newline; invalid UTF-8 is replaced.
std::string JsonDocument(const base::Json& json);
// Text as a fenced block to paste into an issue.
std::string MarkdownDocument(const std::string& title, const std::string& text);

}  // namespace culprit::render
