#include "explain/logs/unwrap.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace culprit::logs {
namespace {

constexpr size_t kNarrowest = 40;                                             // columns
constexpr std::array<size_t, 6> kUsualWidths = {79, 80, 100, 120, 132, 160};  // columns

std::string_view WithoutEnd(std::string_view line) {
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

struct Width {
  size_t columns = 0;
  bool sure = false;  // several lines have it, and consoles do
};

// The width of the console that broke the lines; 0 if it does not look so.
Width WidthOf(const std::vector<std::string>& lines) {
  size_t widest = 0;
  for (const std::string& line : lines) widest = std::max(widest, WithoutEnd(line).size());
  const auto full = std::ranges::count_if(
      lines, [&](const std::string& line) { return WithoutEnd(line).size() == widest; });
  const bool usual = std::ranges::find(kUsualWidths, widest) != kUsualWidths.end();
  if (widest < kNarrowest || (full < 2 && !usual)) return {};
  return {.columns = widest, .sure = full > 1 && usual};
}

// Joins each line with the next one where `broken(line, next)`.
template <typename Broken>
Unwrapped Join(const std::vector<std::string>& lines, std::string_view between, Broken broken) {
  Unwrapped joined;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = WithoutEnd(lines[i]);
    const bool goes_on = i > 0 && broken(WithoutEnd(lines[i - 1]), line);
    if (goes_on) {
      joined.text.pop_back();  // the line end
      joined.text += between;
    } else {
      joined.numbers.push_back(i + 1);
    }
    joined.text += goes_on && !between.empty() ? base::Trim(line) : line;
    joined.text += '\n';
  }
  return joined;
}

// What CMake says: paragraphs, two columns to the right, below the place that says it.
Unwrapped OfCmake(const std::vector<std::string>& lines) {
  const auto is_text = [](std::string_view line) {
    return line.starts_with("  ") && line.size() > 2 && line[2] != ' ' && !line.ends_with(")");
  };
  return Join(lines, " ", [&](std::string_view line, std::string_view next) {
    return is_text(line) && next.starts_with("  ") && next.size() > 2 && next[2] != ' ' &&
           !line.starts_with("  *") && !next.starts_with("  *");
  });
}

// Without a mark of comments before nearly every line; all lines stay.
Unwrapped Uncommented(const std::vector<std::string>& lines, std::string_view mark) {
  Unwrapped bare;
  size_t marked = 0, filled = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    std::string_view line = WithoutEnd(lines[i]);
    if (!line.empty()) ++filled;
    if (line.starts_with(mark)) {
      ++marked;
      line.remove_prefix(mark.size());
    }
    bare.text += line;
    bare.text += '\n';
    bare.numbers.push_back(i + 1);
  }
  bare.sure = marked > 2;
  return marked > 0 && marked * 10 >= filled * 8 ? bare : Unwrapped();
}

}  // namespace

std::vector<Unwrapped> Unwrap(std::string_view text) {
  const std::vector<std::string> lines = base::Split(text, '\n');
  std::vector<Unwrapped> ways;
  if (const Width width = WidthOf(lines); width.columns != 0) {
    ways.push_back(Join(lines, "", [&](std::string_view line, std::string_view next) {
      return line.size() == width.columns && !next.empty() && !next.starts_with("- ") &&
             !next.starts_with("* ");
    }));
    ways.back().sure = width.sure;
  }
  if (text.find("CMake Error") != std::string_view::npos) {
    ways.push_back(OfCmake(lines));
    ways.back().sure = true;
  }
  ways.push_back(Join(lines, " ", [](std::string_view line, std::string_view next) {
    return line.size() >= kNarrowest && !next.empty() && next.front() != ' ' && next.front() != '\t' &&
           next.front() != '-' && next.front() != '*' && next.front() != '#';
  }));
  std::erase_if(ways, [&](const Unwrapped& way) { return way.numbers.size() == lines.size(); });
  for (const std::string_view mark : {"# ", "// ", "-- ", "; ", "* "}) {
    if (Unwrapped bare = Uncommented(lines, mark); !bare.text.empty()) ways.push_back(std::move(bare));
  }
  return ways;
}

}  // namespace culprit::logs
