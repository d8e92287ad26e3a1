// Foreign text in Markdown, so that it cannot become markup.
#pragma once

#include <string>
#include <string_view>

namespace culprit::render {

// `text` as inline code, whatever backticks are in it.
std::string Code(std::string_view text);
// Plain words with everything that Markdown or HTML would take for markup escaped.
std::string Plain(std::string_view text);
std::string Folded(const std::string& title, const std::string& body);

}  // namespace culprit::render
