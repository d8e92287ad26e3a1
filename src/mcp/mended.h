// Repairs a malformed message so that it can be parsed. Logs from agents contain bytes that are not UTF-8,
// and a host that truncates text by UTF-16 units leaves half of a surrogate pair (\ud83d) at the end. A
// client whose request cannot be parsed gets no answer that it can match. Both become U+FFFD; everything else
// stays.
#pragma once

#include <string>
#include <string_view>

namespace culprit::mcp {

std::string Mended(std::string_view message);

}  // namespace culprit::mcp
