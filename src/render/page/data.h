// Pictures and timeline as the JSON that the script of the page draws (page/picture.js, page/timeline.js).
// A thousand libraries share few directories and fewer searches, so each text and each searched place is
// stored once and referred to by number. What its arrays hold: data.cc, and `unpack` in page/layout.js.
#pragma once

#include <string>

#include "render/page/text.h"

namespace culprit::render {

// The same JSON, safe between <script> tags: has no '<', '>', '&' and no line separator.
std::string ForScript(const std::string& json);
// Safe likewise.
std::string PageData(const PageFacts& facts, const PageText& text);

}  // namespace culprit::render
