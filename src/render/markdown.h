// Untrusted text in Markdown, so that it cannot become markup.
#pragma once

#include <string>
#include <string_view>

namespace culprit::render {

// `text` as inline code, even if it contains backticks.
std::string Code(std::string_view text);
// Plain text, with everything escaped that Markdown or HTML takes for markup.
std::string Plain(std::string_view text);
std::string Folded(const std::string& title, const std::string& body);

}  // namespace culprit::render
