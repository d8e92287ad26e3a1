#include "render/wrapped.h"

#include "base/text.h"

namespace culprit::render {

std::vector<std::string> Wrapped(std::string_view text, size_t width) {
  std::vector<std::string> lines(1);
  for (const std::string& word : base::SplitWords(base::Printable(text), " ")) {
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

}  // namespace culprit::render
