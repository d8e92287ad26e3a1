#include "render/document.h"

#include "base/json.h"

namespace culprit::render {

std::string JsonDocument(const base::Json& json) {
  return json.dump(2, ' ', false, base::Json::error_handler_t::replace) + "\n";
}

std::string MarkdownDocument(const std::string& title, const std::string& text) {
  std::string fence = "```";
  while (text.find(fence) != std::string::npos) fence += '`';
  return "### " + title + "\n\n" + fence + "text\n" + text + fence + "\n";
}

}  // namespace culprit::render
