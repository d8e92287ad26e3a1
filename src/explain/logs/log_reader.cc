#include "explain/logs/log_reader.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.h"
#include "explain/logs/clean_line.h"
#include "explain/logs/error_lines.h"
#include "explain/logs/line_block.h"
#include "explain/logs/mention.h"
#include "explain/logs/re2_piece.h"
#include "explain/logs/signature_index.h"

namespace culprit::logs {
namespace {

using knowledge::Role;
using knowledge::Signature;

constexpr size_t kBuffer = 1 << 20;
constexpr size_t kFirstRead = 16 << 10;       // most texts are short, and memory costs time
constexpr size_t kRead = 1 << 18;             // bytes per read; fits into the second-level cache
constexpr size_t kReach = 4 << 10;            // bytes of a line on each side of an anchor
constexpr size_t kTail = 64 << 10;            // bytes that are kept, for how the text ends
constexpr size_t kLongestMessage = 64 << 10;  // bytes in several lines
constexpr size_t kBeginning = 64 << 10;       // bytes that tell what kind of text it is
constexpr size_t kShown = 400;                // bytes of a line
constexpr size_t kMostSymptoms = 1000;
constexpr size_t kMostMatches = 32;     // of one signature in one line
constexpr uint32_t kEnough = 1000;      // matches of one signature in a log
constexpr uint32_t kEnoughFacts = 100;  // the same, if it only states what is there
constexpr int kMostGroups = 12;
constexpr size_t kMostOthers = 64;  // lines of other processes inside a message
constexpr size_t kMostAhead = 127;  // lines that are looked at together
constexpr size_t kShortBytes = 8 << 10;
constexpr size_t kOneMessage = 700;  // bytes; a longer line may hold several messages
constexpr uint64_t kFewWords = 10;   // lines; a person picked them, and something is wrong

// The text around a match, on one line.
std::string Excerpt(std::string_view text, size_t match) {
  constexpr size_t kBefore = 80;
  if (text.size() > kShown) text = text.substr(match > kBefore ? match - kBefore : 0, kShown);
  std::string shown(base::Trim(text));
  std::ranges::replace(shown, '\n', ' ');
  return shown;
}

}  // namespace

// One line, or a part of it between two carriage returns.
struct LogReader::Segment {
  size_t begin = 0, end = 0;  // in the buffer
};

LogReader::LogReader(size_t input, uint64_t at_least)
    : input_(input), at_least_(at_least), buffer_(kFirstRead, '\0') {}
LogReader::~LogReader() = default;
LogReader::LogReader(LogReader&&) noexcept = default;

std::span<char> LogReader::Room() {
  if (buffer_.size() - size_ < kFirstRead) buffer_.resize(kBuffer);
  return std::span(buffer_).subspan(size_, std::min(kRead, buffer_.size() - size_));
}

void LogReader::Added(size_t count) {
  size_ += count;
  Process(false);
}

void LogReader::Flush() { Process(true); }

uint64_t LogReader::lines() const {
  const std::string_view rest = std::string_view(buffer_).substr(counted_, size_ - counted_);
  const bool open_end = !rest.empty() && rest.back() != '\n';
  return lines_ + CountLines(rest) + (open_end ? 1 : 0);
}

uint64_t LogReader::shown_lines() const {
  if (gone_ > 0 || lines() > 2 * kFewLines) return lines();
  uint64_t shown = 0;
  for (const std::string& line : base::Split(std::string_view(buffer_).substr(0, size_), '\n')) {
    shown += base::Trim(line).empty() ? 0 : 1;
  }
  return std::max(shown, at_least_);
}

LogReader::Tail LogReader::tail() const {
  std::string_view text = std::string_view(buffer_).substr(0, size_);
  const uint64_t before = lines() - CountLines(text) - (text.empty() || text.ends_with('\n') ? 0 : 1);
  if (gone_ == 0) return {.text = text};
  const size_t line_end = text.find('\n');
  text.remove_prefix(line_end == std::string_view::npos ? 0 : line_end + 1);
  return {.text = text, .first_line = before + 2, .is_cut = true};
}

void LogReader::Process(bool complete) {
  const std::string_view text = std::string_view(buffer_).substr(0, size_);
  if (!began_ && (complete || size_ >= kBeginning)) {
    began_ = true;
    const std::string_view beginning = text.substr(0, kBeginning);
    only_mentions_ = OnlyMentions(beginning);
    of_cuda_ = SpeaksOfCuda(beginning);
    other_gpu_ = IsOnOtherGpu(beginning);
    no_nvidia_ = StatesNoNvidia(beginning);
    if (!complete || size_ > kTail)
      asks_for_help_ = CountLines(beginning) <= kLongestRequest && Asks(beginning);
  }
  // Whole lines; or most of a line that is longer than the buffer.
  size_t end = size_;
  if (!complete) {
    const size_t last = text.rfind('\n');
    end = last != std::string_view::npos && last + 1 > done_ ? last + 1 : done_;
    if (end == done_ && size_ + kRead > kBuffer) end = size_ - kReach;
  }
  while (done_ < end) {
    size_t at = end;
    SignatureIndex::The().finder().Find(text, done_, [&](const AnchorFinder::Hit& hit) {
      if (!candidates_.IsLive(hit.anchor) || IsKnownQuiet(hit)) return true;
      at = std::min(hit.at, end);
      return false;
    });
    if (at == end) {
      done_ = end;
      break;
    }
    const size_t from = std::max(done_, at - std::min(at, kReach));
    const std::string_view before = text.substr(from, at - from), after = text.substr(at, kReach);
    const size_t line_end = before.find_last_of("\r\n");
    const Segment segment{.begin = line_end == std::string_view::npos ? from : from + line_end + 1,
                          .end = at + std::min(after.find_first_of("\r\n"), after.size())};
    if (!ReadSegment(segment, complete)) {
      done_ = segment.begin;
      break;
    }
    done_ = std::max(segment.end, at + 1);
  }
  if (complete) TakeHints(text);
  // Drops what was examined, except for previous lines in which a message may have started.
  if (size_ + kRead <= kBuffer && !complete) return;
  const size_t keep = done_ - std::min(done_, kTail);
  CountUpTo(keep);
  std::memmove(buffer_.data(), buffer_.data() + keep, size_ - keep);
  gone_ += keep;
  size_ -= keep;
  done_ -= keep;
  counted_ -= keep;
}

bool LogReader::IsHarmless(uint64_t line) const {
  return std::ranges::find(harmless_lines_, line) != harmless_lines_.end();
}

bool LogReader::IsWhollyHarmless(const Symptom& symptom) const {
  const auto is_in = [&](uint64_t line) {
    return std::ranges::find(wholly_harmless_, line) != wholly_harmless_.end();
  };
  return is_in(symptom.line) && is_in(symptom.last_line);
}

void LogReader::CountUpTo(size_t position) {
  if (position <= counted_) return;
  lines_ += CountLines(std::string_view(buffer_).substr(counted_, position - counted_));
  counted_ = position;
}

void LogReader::TakeHints(std::string_view text) {
  if (gone_ > 0 || !of_cuda_ || text.size() > kShortBytes || lines() > kFewWords ||
      std::ranges::any_of(symptoms_, &Symptom::speaks))
    return;
  uint64_t number = 0;
  for (const std::string& line : base::Split(text, '\n')) {
    const std::string cleaned = CleanLine(std::string_view(line).substr(0, kReach)).text;
    ++number;
    if (IsBesideThePoint(cleaned) || IsHarmless(number)) continue;
    for (const size_t signature : SignatureIndex::The().loose()) {
      Match(signature, {.text = cleaned, .first_line = cleaned.size()}, number);
    }
  }
}

// The lines before and after a position that a message of several lines may span, cleaned.
struct LogReader::Neighbourhood {
  std::vector<std::string> lines;
  size_t here = 0;                     // index of the line with the anchor
  std::vector<uint64_t> numbers_back;  // how far before it in the log each earlier line is, nearest first
  bool whole = true;                   // false if following lines have not been read yet
};

// If several processes share a log, lines of the others are skipped.
LogReader::Neighbourhood LogReader::Around(const Segment& segment, uint32_t reach) const {
  const std::string_view text = std::string_view(buffer_).substr(0, size_);
  const auto cleaned = [&](size_t begin, size_t end) {
    return CleanLine(text.substr(begin, std::min(end - begin, kReach)));
  };
  CleanedLine here = CleanLine(text.substr(segment.begin, segment.end - segment.begin));
  const std::string process = ProcessOf(here.prefix);
  Neighbourhood around{.lines = {std::move(here.text)}};
  size_t others = 0;
  for (size_t end = segment.begin;
       around.here + 1 < reach && others < kMostOthers && end > 0 && text[end - 1] == '\n';) {
    const std::string_view before = text.substr(0, end - 1);
    const size_t from = before.size() - std::min(before.size(), kReach);
    const size_t line_end = before.substr(from).rfind('\n');
    const size_t begin = line_end == std::string_view::npos ? from : from + line_end + 1;
    CleanedLine line = cleaned(begin, end - 1);
    end = begin;
    if (ProcessOf(line.prefix) != process) {
      ++others;
      continue;
    }
    around.lines.insert(around.lines.begin(), std::move(line.text));
    around.numbers_back.push_back(++around.here + others);
  }
  others = 0;
  for (size_t at = segment.end; around.lines.size() - around.here < reach && others < kMostOthers;) {
    at = text.find('\n', at);
    const size_t next = at == std::string_view::npos ? at : text.find('\n', at + 1);
    if (next == std::string_view::npos) around.whole = false;
    if (at == std::string_view::npos) break;
    CleanedLine line = cleaned(at + 1, std::min(next, size_));
    at = std::min(next, size_);
    if (ProcessOf(line.prefix) != process) {
      ++others;
      continue;
    }
    around.lines.push_back(std::move(line.text));
  }
  return around;
}

// From `first` on, as one text; lines other than the first are trimmed at both ends, and so is the first of
// several.
LogReader::Window LogReader::WindowOf(const Neighbourhood& around, size_t first, size_t lines) {
  const size_t end = std::min(first + lines, around.lines.size());
  const std::string_view start = around.lines[first];
  Window window{.text = std::string(lines == 1 ? start : base::Trim(start))};
  window.first_line = window.text.size();
  for (size_t i = first + 1; i < end; ++i) {
    window.text += '\n';
    if (i == around.here) window.here = window.text.size();
    window.text += base::Trim(around.lines[i]);
  }
  return window;
}

bool LogReader::IsKnownQuiet(const AnchorFinder::Hit& hit) {
  if (quiet_ == nullptr || gone_ + hit.at >= quiet_->quiet_until ||
      !candidates_.IsCovered(hit.anchor, *quiet_))
    return false;
  ++quiet_->spared;
  return true;
}

// A block of which every line was asked for is followed by one twice as long.
bool LogReader::IsQuiet(Candidates::Group& group, const Segment& segment) {
  if (gone_ + segment.end <= group.quiet_until) {
    ++group.spared;
    return true;
  }
  group.ahead = 2 * group.spared >= group.ahead ? std::min(2 * group.ahead + 1, kMostAhead) : 0;
  group.spared = 0;
  const LineBlock block =
      BlockOf(std::string_view(buffer_).substr(0, size_), segment.begin, group.reach, group.ahead);
  if (block.end == 0) return false;
  if (candidates_.MayMatch(group, block.lines, block.windows)) {
    group.ahead = 0;
    return false;
  }
  group.quiet_until = gone_ + block.end;
  quiet_ = &group;
  return true;
}

bool LogReader::ReadSegment(const Segment& segment, bool complete) {
  const std::string_view text = std::string_view(buffer_).substr(0, size_);
  std::vector<size_t> candidates = candidates_.In(text.substr(segment.begin, segment.end - segment.begin));
  Candidates::Group* const group = candidates_.GroupOf(candidates);
  if (group != nullptr && IsQuiet(*group, segment)) return true;
  candidates = candidates_.Live(std::move(candidates));
  uint32_t reach = 1;
  for (const size_t candidate : candidates) {
    reach = std::max(reach, knowledge::Signatures()[candidate].lines);
  }
  const Neighbourhood around = Around(segment, reach);
  if (!around.whole && !complete && size_ - segment.begin < kLongestMessage) return false;
  CountUpTo(segment.begin);
  const uint64_t number = lines_ + 1;
  const std::string& line = around.lines[around.here];
  if (group != nullptr)
    candidates =
        candidates_.Matching(*group, line, reach == 1 ? line : WindowOf(around, 0, around.lines.size()).text);
  for (const size_t candidate : candidates) {
    const size_t lines = std::max<size_t>(knowledge::Signatures()[candidate].lines, 1);
    // The anchor may be in any line of the message.
    for (size_t back = std::min(lines - 1, around.here) + 1; back-- > 0;) {
      const uint64_t above = back == 0 ? 0 : around.numbers_back[back - 1];
      Match(candidate, WindowOf(around, around.here - back, lines), number - above);
    }
  }
  return true;
}

void LogReader::Match(size_t index, const Window& window, uint64_t number) {
  const std::string& subject = window.text;
  const Signature& signature = knowledge::Signatures()[index];
  const RE2& expression = SignatureIndex::The().Expression(index);
  std::array<re2::StringPiece, kMostGroups> groups;
  const int count = std::min(expression.NumberOfCapturingGroups() + 1, kMostGroups);
  size_t from = 0;
  for (size_t matches = 0; matches < kMostMatches && from <= window.first_line; ++matches) {
    if (!expression.Match(Piece(subject), from, subject.size(), RE2::UNANCHORED, groups.data(), count))
      return;
    const auto begin = static_cast<size_t>(groups[0].data() - subject.data());
    const size_t end = begin + groups[0].size();
    from = std::max(end, begin + 1);
    if (begin > window.first_line) return;  // belongs to another line
    if (end < window.here) continue;        // in lines before the anchor, which have their own
    Symptom symptom{.signature = &signature, .line = number, .input = input_};
    for (const auto& [name, group] : expression.NamedCapturingGroups()) {
      if (group >= count || groups[static_cast<size_t>(group)].empty()) continue;
      const re2::StringPiece& value = groups[static_cast<size_t>(group)];
      symptom.attributes[name] = base::Trim(std::string_view(value.data(), value.size()));
    }
    for (const std::string_view pair : signature.set) {
      const size_t equals = pair.find('=');
      symptom.attributes.emplace(pair.substr(0, equals), pair.substr(equals + 1));
    }
    AddImplied(symptom.attributes);
    if (signature.role == Role::kHarmless && number <= kShortText) {
      harmless_lines_.push_back(number);
      if (window.first_line <= kOneMessage) wholly_harmless_.push_back(number);
    }
    Note(std::move(symptom), window, begin, end);
    const bool says_always_the_same = expression.NamedCapturingGroups().empty();
    candidates_.Matched(index, signature.role != Role::kContext ? kEnough
                               : says_always_the_same           ? 1
                                                                : kEnoughFacts);
  }
}

void LogReader::Note(Symptom symptom, const Window& window, size_t begin, size_t end) {
  std::string key(symptom.signature->id);
  for (const auto& [name, value] : symptom.attributes) key += '\n' + name + '=' + value;
  const auto [known, fresh] = seen_.emplace(std::move(key), symptoms_.size());
  symptom.last_line = symptom.line;
  Symptom* const same = fresh ? nullptr : &symptoms_[known->second];
  if (same != nullptr) {
    if (same->last_line == symptom.line) return;  // the same place, found through another of its lines
    same->last_line = symptom.line;
    ++same->count;
    if (same->mention == Mention::kNone) return;
  } else if (symptoms_.size() == kMostSymptoms) {
    seen_.erase(known);
    return;
  }
  const std::string_view line = std::string_view(window.text).substr(0, window.first_line);
  if (end <= window.first_line || !IsTyped(line)) symptom.mention = MentionAt(line, begin, symptom.line == 1);
  symptom.text = Excerpt(window.text, begin);
  if (same == nullptr) {
    symptoms_.push_back(std::move(symptom));
  } else if (symptom.mention < same->mention) {  // what was only mentioned before now happened
    same->mention = symptom.mention;
    same->line = symptom.line;
    same->text = std::move(symptom.text);
  }
}

}  // namespace culprit::logs
