#include "explain/logs/candidates.h"

#include <algorithm>

#include "explain/logs/re2_piece.h"
#include "explain/logs/signature_index.h"

namespace culprit::logs {
namespace {

constexpr uint32_t kEnough = 1000;  // matches of one signature
constexpr uint32_t kOften = 64;     // lines with the same candidates
constexpr size_t kMostSets = 32;

bool SpansLines(size_t signature) { return knowledge::Signatures()[signature].lines > 1; }

// Whether it does not matter where the text begins and ends.
bool FloatsInText(size_t signature) {
  const std::string_view pattern = knowledge::Signatures()[signature].pattern;
  for (size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] == '\\') {
      ++at;
    } else if (pattern[at] == '$' || (pattern[at] == '^' && (at == 0 || pattern[at - 1] != '['))) {
      return false;
    }
  }
  return true;
}

bool MayMatch(const std::unique_ptr<RE2::Set>& set, const std::string& text) {
  RE2::Set::ErrorInfo failure{RE2::Set::kNoError};
  return set == nullptr || set->Match(Piece(text), nullptr, &failure) || failure.kind != RE2::Set::kNoError;
}

}  // namespace

Candidates::Candidates() : done_(SignatureIndex::The().size()), matches_(done_.size()) {}

std::vector<size_t> Candidates::In(std::string_view segment) const {
  std::vector<size_t> found;
  SignatureIndex::The().finder().Find(segment, 0, [&](const AnchorFinder::Hit& hit) {
    const auto of_anchor = SignatureIndex::The().OfAnchor(hit.anchor);
    found.insert(found.end(), of_anchor.begin(), of_anchor.end());
    return true;
  });
  std::erase_if(found, [&](size_t signature) { return done_[signature]; });
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

bool Candidates::IsLive(size_t anchor) const {
  return std::ranges::any_of(SignatureIndex::The().OfAnchor(anchor),
                             [&](size_t signature) { return !done_[signature]; });
}

void Candidates::Matched(size_t signature, bool says_nothing_new) {
  done_[signature] = says_nothing_new || ++matches_[signature] >= kEnough;
}

void Candidates::Reject(std::vector<size_t>& candidates, const std::string& line, const std::string& window) {
  Together& together = together_[candidates];
  if (++together.uses < kOften) return;
  if (together.uses == kOften && sets_ < kMostSets) {
    ++sets_;
    std::vector<size_t> of_line, of_window;
    for (const size_t candidate : candidates) {
      if (!SpansLines(candidate)) of_line.push_back(candidate);
      if (SpansLines(candidate) && FloatsInText(candidate)) of_window.push_back(candidate);
    }
    together.of_line = SignatureIndex::The().Together(of_line);
    together.of_window = SignatureIndex::The().Together(of_window);
  }
  const bool line_may = MayMatch(together.of_line, line);
  const bool window_may = MayMatch(together.of_window, window);
  std::erase_if(candidates, [&](size_t candidate) {
    return SpansLines(candidate) ? !window_may && FloatsInText(candidate) : !line_may;
  });
}

}  // namespace culprit::logs
