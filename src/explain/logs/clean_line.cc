#include "explain/logs/clean_line.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

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

// Only printable ASCII, as most lines are: nothing is taken away.
bool IsPlain(std::string_view line) {
  constexpr uint64_t kOnes = 0x0101010101010101u, kTops = 0x80 * kOnes;
  uint64_t odd = 0;  // the top bit of a byte: a byte below 0x20, 0x7F, or above
  while (line.size() >= sizeof odd) {
    uint64_t eight;
    std::memcpy(&eight, line.data(), sizeof eight);
    odd |= (eight - 0x20 * kOnes) | (eight + kOnes) | eight;
    line.remove_prefix(sizeof odd);
  }
  return (odd & kTops) == 0 && std::ranges::all_of(line, [](char c) { return c >= 0x20 && c < 0x7F; });
}

std::string WithoutControls(std::string_view line) {
  if (IsPlain(line)) return std::string(line);
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

// What mail, Markdown and web pages add: "> ", tags, "&lt;". Python's ">>> " stays.
void TakeOffDecoration(std::string& text) {
  static const LazyRE2 kQuotation(R"(^ ?(?:(?:> )+|>)([^> ]))"),
      kTag(
          R"((?i)</?(?:pre|code|p|br|div|span|b|em|strong|li|ul|details|summary|blockquote|samp|kbd)(?: [^<>]*)?/?>)");
  static constexpr std::pair<std::string_view, std::string_view> kEntities[] = {
      {"&lt;", "<"},  {"&gt;", ">"},   {"&quot;", "\""}, {"&#34;", "\""},
      {"&#39;", "'"}, {"&#x27;", "'"}, {"&nbsp;", " "},  {"&amp;", "&"}};
  if (text.starts_with('>') || text.starts_with(" >")) RE2::Replace(&text, *kQuotation, "\\1");
  if (text.find('<') != std::string::npos) RE2::GlobalReplace(&text, *kTag, "");
  if (text.find('&') == std::string::npos) return;
  for (const auto& [entity, character] : kEntities) {
    for (size_t at = text.find(entity); at != std::string::npos;
         at = text.find(entity, at + character.size()))
      text.replace(at, entity.size(), character);
  }
}

// {"time": "...", "msg": "..."}: what the program said.
void TakeMessageOfJson(std::string& text) {
  static const LazyRE2 kMessage(
      R"re("(?:msg|message|log|textPayload|text|error)"\s*:\s*"((?:[^"\\]|\\.)*)")re", RE2::Latin1);
  std::string message;
  if (!text.starts_with('{') || !RE2::PartialMatch(text, *kMessage, &message)) return;
  text.clear();
  for (size_t at = 0; at < message.size(); ++at) {
    const bool escaped = message[at] == '\\' && at + 1 < message.size();
    const char c = escaped ? message[++at] : message[at];
    text += escaped && (c == 'n' || c == 't' || c == 'r') ? ' ' : c;
  }
}

// "[rank0]:", "[1,3]<stderr>:", "0:" of srun -l, "(APIServer pid=1)", "web-1  | ", "2024-…Z stderr F ".
const RE2& Prefixes() {
  static const RE2 kPrefixes(
      R"(^(?:\xEF\xBB\xBF)?(?:\s*(?:\[(?:rank ?)?\d+\]:?|\[\d+,\d+\]<std(?:err|out)>:|\(\w+ pid=\d+(?:, ip=[\d.]+)?\)|[\w.-]{1,60}\s+\| |\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) (?:stdout|stderr) [FP] ))+ ?)",
      RE2::Latin1);
  return kPrefixes;
}

// " | ", which a name may stand before. Bars are rarer than spaces.
bool HasBar(std::string_view line) {
  for (size_t at = line.find('|'); at != std::string_view::npos; at = line.find('|', at + 1)) {
    if (at > 0 && line.substr(at - 1).starts_with(" | ")) return true;
  }
  return false;
}

// Whether it is worth looking for a prefix.
bool MayHavePrefix(std::string_view line) {
  constexpr size_t kLongestName = 80;
  const size_t start = line.find_first_not_of(' ');
  if (start == std::string_view::npos) return false;
  constexpr size_t kDate = std::string_view("2026-11-15").size();
  const char first = line[start];
  return first == '[' || first == '(' || first == '\xEF' ||
         (start + kDate < line.size() && line[start + kDate] == 'T') ||
         HasBar(line.substr(0, start + kLongestName));
}

}  // namespace

bool IsClean(std::string_view line) {
  const bool starts_bare = !line.starts_with('>') && !line.starts_with(" >") && !line.starts_with('{');
  return starts_bare && IsPlain(line) && line.find('<') == std::string_view::npos &&
         line.find('&') == std::string_view::npos && !MayHavePrefix(line);
}

CleanedLine CleanLine(std::string_view line) {
  CleanedLine cleaned{.text = WithoutControls(line), .prefix = ""};
  TakeOffDecoration(cleaned.text);
  TakeMessageOfJson(cleaned.text);
  if (!MayHavePrefix(cleaned.text)) return cleaned;
  re2::StringPiece rest(cleaned.text);
  if (RE2::Consume(&rest, Prefixes())) {
    const size_t size = cleaned.text.size() - rest.size();
    cleaned.prefix = cleaned.text.substr(0, size);
    cleaned.text.erase(0, size);
  }
  return cleaned;
}

}  // namespace culprit::logs
