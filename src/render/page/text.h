// Foreign text in a page: file names are hostile, and it may be shown to strangers.
#pragma once

#include <string>
#include <string_view>

#include "render/page/page.h"

namespace culprit::render {

class PageText {
 public:
  explicit PageText(const PageFacts& facts)
      : redact_(facts.redact), windows_(facts.windows), home_(facts.home), user_(facts.user) {}

  // Redacted, spelled for its system, with everything visible that would act instead of showing: control
  // bytes, what is no UTF-8, characters that turn the direction of writing or take no room.
  std::string Words(std::string_view text) const;
  // The same for between tags and in quoted attributes.
  std::string Html(std::string_view text) const;
  // With marks around paths and file names, and places where a long path may be broken.
  std::string Sentence(std::string_view text) const;
  // Lines that belong together: a command, an output.
  std::string Lines(std::string_view text) const;

 private:
  bool redact_, windows_;
  std::string home_, user_;
};

// `words` that are clean already.
std::string EscapeHtml(std::string_view words);

}  // namespace culprit::render
