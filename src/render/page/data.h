// Pictures and timeline as the JSON that the script of the page draws (page/picture.js, page/timeline.js).
// A thousand libraries share few directories and fewer searches, so each text and each looked-at place stands
// there once and is named by its number. What its arrays hold: page_data.cc, and `unpack` in page/layout.js.
#pragma once

#include <string>

#include "render/page/text.h"

namespace culprit::render {

// Fit for between <script> tags: no '<', '>', '&' and no line separator in it.
std::string PageData(const PageFacts& facts, const PageText& text);

}  // namespace culprit::render
