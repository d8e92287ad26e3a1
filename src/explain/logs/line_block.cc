#include "explain/logs/line_block.h"

#include <re2/re2.h>

#include <optional>
#include <vector>

#include "base/text.h"
#include "explain/logs/clean_line.h"

namespace culprit::logs {
namespace {

constexpr size_t kLongestWhole = 4 << 10;
constexpr size_t kLongestBlock = 32 << 10;

// The line that starts at `begin`, if all of it is there and it is examined as a whole; and where the next
// one starts.
struct WholeLine {
  std::string_view text;
  size_t next = 0;  // 0 = there is none
};
WholeLine LineAt(std::string_view text, size_t begin) {
  const size_t end = text.find('\n', begin);
  if (end == std::string_view::npos || end - begin > kLongestWhole) return {};
  std::string_view line = text.substr(begin, end - begin);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.find('\r') != std::string_view::npos) return {};
  return {.text = line, .next = end + 1};
}

// Where the line before the one at `begin` begins.
std::optional<size_t> LineBefore(std::string_view text, size_t begin) {
  const std::string_view before = text.substr(0, begin - 1);
  const size_t from = before.size() - std::min(before.size(), kLongestWhole);
  const size_t line_end = before.substr(from).rfind('\n');
  if (line_end == std::string_view::npos) return std::nullopt;
  return from + line_end + 1;
}

}  // namespace

// "2026-11-15T08:00:00Z stderr F " is one process.
std::string ProcessOf(std::string_view prefix) {
  if (prefix.empty()) return "";
  static const RE2 kTime(R"(\d{4}-\d\d-\d\dT\S+ (?:stdout|stderr) [FP] )");
  std::string process(prefix);
  RE2::GlobalReplace(&process, kTime, "");
  return process;
}

LineBlock BlockOf(std::string_view text, size_t begin, uint32_t reach, size_t ahead) {
  LineBlock block;
  if (begin == 0 || text[begin - 1] != '\n') return block;
  size_t first = begin;
  for (uint32_t back = 1; back < reach; ++back) {
    const auto before = LineBefore(text, first);
    if (!before) return {};
    first = *before;
  }
  std::optional<std::string> process;
  std::vector<size_t> sizes, ends;  // of the lines from `begin` on
  const size_t most = ahead + reach;
  WholeLine line;
  for (size_t at = first; ends.size() < most && at < begin + kLongestBlock; at = line.next) {
    line = LineAt(text, at);
    if (line.next == 0) break;
    const bool clean = IsClean(line.text);
    const CleanedLine cleaned = clean ? CleanedLine{} : CleanLine(line.text);
    const std::string_view shown = clean ? line.text : cleaned.text;
    if (reach > 1) {
      std::string of = ProcessOf(cleaned.prefix);
      if (process && *process != of) break;
      process = std::move(of);
      block.windows.append(base::Trim(shown)) += '\n';
    }
    if (at >= begin) {
      block.lines.append(shown) += '\n';
      sizes.push_back(block.lines.size());
      ends.push_back(at + line.text.size());
    }
  }
  // The last lines are there for the windows of those before them.
  if (ends.size() < reach) return {};
  block.lines.resize(sizes[ends.size() - reach]);
  block.end = ends[ends.size() - reach];
  return block;
}

}  // namespace culprit::logs
