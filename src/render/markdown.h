// Untrusted text in Markdown, so that it cannot become markup.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace culprit::render {

// `text` as inline code, even if it contains backticks.
std::string Code(std::string_view text);
// The same in a cell of a table, where a bar would end it.
std::string CodeInTable(std::string_view text);
// Plain text, with everything escaped that Markdown or HTML takes for markup.
std::string Plain(std::string_view text);
// A block of code; `text` ends with a line break.
std::string Fenced(std::string_view language, const std::string& text);
// Commands to copy; "" if there are none.
std::string ShellBlock(const std::vector<std::string>& commands);
std::string Folded(const std::string& title, const std::string& body);

}  // namespace culprit::render
