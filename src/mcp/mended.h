// A message of a sloppy host -> one that can be parsed. Logs that agents pass on have bytes that are not
// UTF-8, and a host that cuts a text at a number of UTF-16 units leaves half of a pair (\ud83d) at its end. A
// client whose request cannot be parsed gets no answer that it can match. Each of both becomes U+FFFD; all
// else stays.
#pragma once

#include <string>
#include <string_view>

namespace culprit::mcp {

std::string Mended(std::string_view message);

}  // namespace culprit::mcp
