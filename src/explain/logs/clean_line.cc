#include "explain/logs/clean_line.h"

#include <re2/re2.h>

#include <cstdint>

namespace culprit::logs {
namespace {

constexpr char kEscape = '\x1b';

// Where the escape sequence that starts at `at` ends.
size_t AfterEscape(std::string_view line, size_t at) {
  const char kind = at + 1 < line.size() ? line[at + 1] : '\0';
  size_t end = at + 2;
  if (kind == '[') {  // parameters, then one letter
    while (end < line.size() && (line[end] < '@' || line[end] > '~')) ++end;
    return end + 1;
  }
  if (kind == ']') {  // a title or a link, until BEL or ESC backslash
    while (end < line.size() && line[end] != '\a' && line[end] != kEscape) ++end;
    return end + (end < line.size() && line[end] == kEscape ? 2 : 1);
  }
  return end;
}

std::string WithoutControls(std::string_view line) {
  std::string text;
  text.reserve(line.size());
  for (size_t at = 0; at < line.size();) {
    const auto byte = static_cast<uint8_t>(line[at]);
    if (byte == static_cast<uint8_t>(kEscape)) {
      at = AfterEscape(line, at);
      continue;
    }
    // An editor or a chat turned ' and " into ‘ ’ “ ”.
    if (const std::string_view rest = line.substr(at, 3); rest.starts_with("\xE2\x80") && rest.size() == 3) {
      const auto last = static_cast<uint8_t>(rest[2]);
      if (last == 0x98 || last == 0x99 || last == 0x9C || last == 0x9D) {
        text += last < 0x9A ? '\'' : '"';
        at += 3;
        continue;
      }
    }
    text += byte < 0x20 || byte == 0x7F ? ' ' : line[at];
    ++at;
  }
  return text;
}

// "[rank0]:", "[1,3]<stderr>:", "0:" of srun -l, "(APIServer pid=1)", "web-1  | ", "2024-…Z stderr F ".
const RE2& Prefixes() {
  static const RE2 kPrefixes(
      R"(^(?:\xEF\xBB\xBF)?(?:\s*(?:\[(?:rank ?)?\d+\]:?|\[\d+,\d+\]<std(?:err|out)>:|\(\w+ pid=\d+(?:, ip=[\d.]+)?\)|[\w.-]{1,60}\s+\| |\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) (?:stdout|stderr) [FP] ))+ ?)",
      RE2::Latin1);
  return kPrefixes;
}

}  // namespace

CleanedLine CleanLine(std::string_view line) {
  CleanedLine cleaned{.text = WithoutControls(line), .prefix = ""};
  re2::StringPiece rest(cleaned.text);
  if (RE2::Consume(&rest, Prefixes())) {
    const size_t size = cleaned.text.size() - rest.size();
    cleaned.prefix = cleaned.text.substr(0, size);
    cleaned.text.erase(0, size);
  }
  return cleaned;
}

}  // namespace culprit::logs
