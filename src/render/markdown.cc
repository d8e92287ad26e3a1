#include "render/markdown.h"

#include "base/text.h"

namespace culprit::render {

std::string Code(std::string_view text) {
  std::string safe = base::Printable(text);
  std::string fence = "`";
  while (safe.find(fence) != std::string::npos) fence += '`';
  const char* space = safe.starts_with('`') || safe.ends_with('`') ? " " : "";
  return fence + space + safe + space + fence;
}

std::string CodeInTable(std::string_view text) {
  std::string cell;
  for (const char c : Code(text)) cell += c == '|' ? std::string("\\|") : std::string(1, c);
  return cell;
}

std::string Plain(std::string_view text) {
  std::string out;
  for (const char c : base::Printable(text)) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      if (std::string_view("\\`*_[]|#~@").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

std::string Fenced(std::string_view language, const std::string& text) {
  std::string fence = "```";
  while (text.find(fence) != std::string::npos) fence += '`';
  return fence + std::string(language) + "\n" + text + fence + "\n";
}

std::string ShellBlock(const std::vector<std::string>& commands) {
  std::string block;
  for (const std::string& command : commands) block += base::Printable(command) + "\n";
  return block.empty() ? "" : Fenced("sh", block);
}

std::string Folded(const std::string& title, const std::string& body) {
  return "<details><summary>" + title + "</summary>\n\n" + body + "\n</details>\n";
}

}  // namespace culprit::render
