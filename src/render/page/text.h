// Foreign text in a page: file names may be hostile, and strangers may read the page.
#pragma once

#include <string>
#include <string_view>

#include "render/page/page.h"

namespace culprit::render {

class PageText {
 public:
  explicit PageText(const PageFacts& facts)
      : redact_(facts.redact),
        windows_(facts.windows),
        home_(facts.home),
        user_(facts.user),
        rules_url_(facts.rules_url) {}

  // Redacted, paths spelled for the system. Writes out what would otherwise be invisible: control bytes,
  // invalid UTF-8, characters that change the writing direction or have no width.
  std::string Words(std::string_view text) const;
  // The same, safe between tags and in quoted attributes.
  std::string Html(std::string_view text) const;
  // With markup around paths and file names, and break points in long paths.
  std::string Sentence(std::string_view text) const;
  // Lines that belong together: a command, an output.
  std::string Lines(std::string_view text) const;
  // A code and its cause, as links if the catalogue is somewhere.
  std::string CodeAndCause(std::string_view code, std::string_view cause) const;

 private:
  bool redact_, windows_;
  std::string home_, user_, rules_url_;
};

// `words` are clean already.
std::string EscapeHtml(std::string_view words);

}  // namespace culprit::render
