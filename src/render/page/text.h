// Untrusted text in a page: file names may be hostile, and strangers may see the page.
#pragma once

#include <string>
#include <string_view>

#include "render/page/page.h"

namespace culprit::render {

class PageText {
 public:
  explicit PageText(const PageFacts& facts)
      : redact_(facts.redact), windows_(facts.windows), home_(facts.home), user_(facts.user) {}

  // Redacted, spelled for its system, with everything escaped that would act instead of showing: control
  // bytes, invalid UTF-8, bidirectional control and zero-width characters.
  std::string Words(std::string_view text) const;
  // The same, for use between tags and in quoted attributes.
  std::string Html(std::string_view text) const;
  // With markup around paths and file names, and break opportunities in long paths.
  std::string Sentence(std::string_view text) const;
  // Lines that belong together: a command, an output.
  std::string Lines(std::string_view text) const;

 private:
  bool redact_, windows_;
  std::string home_, user_;
};

// `words` are already clean.
std::string EscapeHtml(std::string_view words);

}  // namespace culprit::render
