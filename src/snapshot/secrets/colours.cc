#include "snapshot/secrets/colours.h"

namespace culprit::snapshot {
namespace {

// The end of the sequence that begins at `at` (ECMA-48: CSI, OSC and the short ones).
size_t EndOfSequence(std::string_view text, size_t at) {
  if (++at >= text.size()) return at;
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
    if (text[at] == '\x1b') {
      at = EndOfSequence(text, at);
      continue;
    }
    plain.text += text[at];
    plain.places.push_back(at++);
  }
  return plain;
}

}  // namespace culprit::snapshot
