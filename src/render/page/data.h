// Pictures and timeline as the JSON that the script of the page draws (page/picture.js, page/timeline.js). A
// thousand libraries share few directories and even fewer searches, so each text and each searched place is
// stored once and referenced by number. The arrays are described in data.cc, and by `unpack` in
// page/layout.js.
#pragma once

#include <string>

#include "render/page/text.h"

namespace culprit::render {

// Safe between <script> tags: contains no '<', '>', '&' and no line separator.
std::string PageData(const PageFacts& facts, const PageText& text);

}  // namespace culprit::render
