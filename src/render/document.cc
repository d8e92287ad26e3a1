#include "render/document.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "render/edition.h"

namespace culprit::render {

std::string JsonDocument(base::Json json) {
  if (!EditionNotes().empty() && json.is_object() && !json.contains("knowledge"))
    json["knowledge"] = EditionJson();
  return VisibleJson(json.dump(2, ' ', false, base::Json::error_handler_t::replace)) + "\n";
}

std::string VisibleJson(std::string_view json) {
  std::string visible;
  visible.reserve(json.size());
  for (size_t i = 0; i < json.size();) {
    const auto plain = std::ranges::find_if(json.substr(i), [](char c) { return c < ' ' || c > '~'; });
    const size_t end = static_cast<size_t>(plain - json.begin());
    visible += json.substr(i, end - i);  // nearly all of it
    if ((i = end) == json.size()) break;
    const auto [code, bytes] = base::SignAt(json.substr(i));
    const size_t length = std::max<size_t>(bytes, 1);
    if (!base::IsInvisible(code)) {
      visible += json.substr(i, length);
    } else if (code < 0x10000) {
      visible += "\\u" + base::Hex(code, 4);
    } else {  // a pair of surrogates
      visible += "\\u" + base::Hex(0xD800 + ((code - 0x10000) >> 10), 4) + "\\u" +
                 base::Hex(0xDC00 + ((code - 0x10000) & 0x3FF), 4);
    }
    i += length;
  }
  return visible;
}

std::string MarkdownDocument(const std::string& title, const std::string& text) {
  std::string fence = "```";
  while (text.find(fence) != std::string::npos) fence += '`';
  return "### " + title + "\n\n" + fence + "text\n" + text + fence + "\n";
}

}  // namespace culprit::render
