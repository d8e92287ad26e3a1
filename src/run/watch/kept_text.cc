#include "run/watch/kept_text.h"

#include <algorithm>

#include "snapshot/secrets/hide.h"

namespace culprit::watch {
namespace {

constexpr size_t kLongLine = 4096;  // a cut moves at most this far to find the end of a line

bool ContinuesCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The last place up to `at` where the text may be cut: after a line, otherwise before a character.
size_t CutBefore(std::string_view text, size_t at) {
  if (at >= text.size()) return text.size();
  const size_t line = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  if (line != std::string_view::npos && at - line <= kLongLine) return line + 1;
  for (int i = 0; i < 3 && at > 0 && ContinuesCharacter(text[at]); ++i) --at;
  return at;
}

// The first from `at`.
size_t CutAfter(std::string_view text, size_t at) {
  if (at == 0 || at >= text.size()) return std::min(at, text.size());
  const size_t line = text.find('\n', at - 1);
  if (line != std::string_view::npos && line - at <= kLongLine) return line + 1;
  for (int i = 0; i < 3 && at < text.size() && ContinuesCharacter(text[at]); ++i) ++at;
  return at;
}

std::string PlainLineEnds(std::string text) {
  size_t to = 0;
  for (size_t from = 0; from < text.size(); ++from) {
    if (text[from] == '\r' && from + 1 < text.size() && text[from + 1] == '\n') continue;
    text[to++] = text[from];
  }
  text.resize(to);
  return text;
}

}  // namespace

void KeptText::Add(std::string_view bytes) {
  if (beginning_.size() < most_ && end_.empty() && left_out_ == 0) {
    const size_t room = std::min(most_ - beginning_.size(), bytes.size());
    beginning_ += bytes.substr(0, room);
    bytes.remove_prefix(room);
    if (bytes.empty()) return;
  }
  end_ += bytes;
  if (end_.size() > 2 * most_end_) Drop(end_.size() - most_end_);
}

void KeptText::Drop(size_t bytes) {
  left_out_ += bytes;
  left_out_lines_ += static_cast<uint64_t>(
      std::count(end_.begin(), end_.begin() + static_cast<std::ptrdiff_t>(bytes), '\n'));
  end_.erase(0, bytes);
}

record::Text KeptText::Take(record::Channel name, const std::vector<std::string>& known) {
  record::Text text;
  text.name = name;
  if (left_out_ == 0 && end_.size() <= most_end_) {
    beginning_ += end_;
    end_.clear();
  } else {
    const size_t cut = CutBefore(beginning_, most_ == 0 ? 0 : beginning_.size() - 1);
    if (end_.size() > most_end_) Drop(end_.size() - most_end_);
    Drop(CutAfter(end_, std::min<size_t>(1, end_.size())));
    left_out_ += beginning_.size() - cut;
    left_out_lines_ += static_cast<uint64_t>(
        std::count(beginning_.begin() + static_cast<std::ptrdiff_t>(cut), beginning_.end(), '\n'));
    beginning_.resize(cut);
  }
  text.left_out = left_out_;
  text.left_out_lines = left_out_lines_;
  text.beginning = snapshot::HideSecrets(PlainLineEnds(std::move(beginning_)), known);
  text.end = snapshot::HideSecrets(PlainLineEnds(std::move(end_)), known);
  return text;
}

}  // namespace culprit::watch
