#include "probe/host/output_tail.h"

#include <utility>

#include "base/text.h"

namespace culprit::probe {

void OutputTail::Add(std::string_view bytes) {
  if (bytes.size() > kMost) bytes.remove_prefix(bytes.size() - kMost);
  text_ += bytes;
  if (text_.size() > kMost) text_.erase(0, text_.size() - kMost);
}

std::string OutputTail::Take() {
  std::string shown;
  for (const std::string& line : base::Split(std::exchange(text_, {}), '\n')) {
    std::string_view last = line;
    while (last.ends_with('\r')) last.remove_suffix(1);
    if (const size_t start = last.rfind('\r'); start != std::string_view::npos) last.remove_prefix(start + 1);
    shown += base::Printable(last) + '\n';
  }
  while (shown.ends_with('\n')) shown.pop_back();
  if (shown.size() > kMost) {  // escapes are longer than what they stand for
    shown.erase(0, shown.size() - kMost);
    while (!shown.empty() && (static_cast<unsigned char>(shown[0]) & 0xC0) == 0x80) shown.erase(0, 1);
  }
  return shown;
}

}  // namespace culprit::probe
