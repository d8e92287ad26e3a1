#include "snapshot/secrets/colours.h"

namespace culprit::snapshot {
namespace {

// How many characters at `at` are an escape: the byte itself, or as it is written in a program; 0 none.
size_t EscapeAt(std::string_view text, size_t at) {
  if (text[at] == '\x1b') return 1;
  if (text[at] != '\\') return 0;
  for (const std::string_view written : {"\\033[", "\\x1b[", "\\e["}) {
    if (text.substr(at).starts_with(written)) return written.size() - 1;
  }
  return 0;
}

// The end of the sequence whose escape ends at `at` (ECMA-48: CSI, OSC and the short ones).
size_t EndOfSequence(std::string_view text, size_t at) {
  if (at >= text.size()) return at;
  if (text[at] == '[') {
    for (++at; at < text.size() && text[at] >= 0x20 && text[at] < 0x40;) ++at;
    return at < text.size() && text[at] >= 0x40 && text[at] < 0x7f ? at + 1 : at;
  }
  if (text[at] == ']') {
    const size_t end = text.find_first_of("\a\n\x1b", at);
    if (end == std::string_view::npos) return text.size();
    return text[end] == '\a' ? end + 1 : text.substr(end, 2) == "\x1b\\" ? end + 2 : end;
  }
  return text[at] >= 0x20 && text[at] < 0x7f ? at + 1 : at;
}

}  // namespace

Uncoloured WithoutColours(std::string_view text) {
  Uncoloured plain;
  for (size_t at = 0; at < text.size();) {
    if (const size_t escape = EscapeAt(text, at)) {
      at = EndOfSequence(text, at + escape);
      continue;
    }
    plain.text += text[at];
    plain.places.push_back(at++);
  }
  return plain;
}

}  // namespace culprit::snapshot
