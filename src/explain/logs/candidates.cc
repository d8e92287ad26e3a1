#include "explain/logs/candidates.h"

#include <algorithm>

#include "explain/logs/re2_piece.h"
#include "explain/logs/signature_index.h"

namespace culprit::logs {
namespace {

constexpr uint32_t kOften = 64;  // lines with the same candidates
constexpr size_t kMostTogether = 32;
constexpr char kNotAsked = 0, kYes = 1, kNo = 2;

uint32_t LinesOf(size_t signature) { return std::max(knowledge::Signatures()[signature].lines, 1u); }
bool SpansLines(size_t signature) { return LinesOf(signature) > 1; }

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

void Candidates::Matched(size_t signature, uint32_t enough) {
  done_[signature] = ++matches_[signature] >= enough;
}

Candidates::Group* Candidates::GroupOf(const std::vector<size_t>& candidates) {
  Together& together = together_[candidates];
  if (++together.uses == kOften && groups_ < kMostTogether) {
    ++groups_;
    together.group = std::make_unique<Group>(candidates);
  }
  return together.group.get();
}

Candidates::Group::Group(const std::vector<size_t>& signatures)
    : signatures_(signatures), covers_(SignatureIndex::The().anchors(), kNotAsked) {
  std::vector<size_t> of_line, of_window;
  for (const size_t signature : signatures) {
    (SpansLines(signature) ? of_window : of_line).push_back(signature);
    reach_ = std::max(reach_, LinesOf(signature));
  }
  of_line_ = {of_line, SignatureIndex::The().Together(of_line)};
  of_window_ = {of_window, SignatureIndex::The().Together(of_window)};
}

bool Candidates::IsCovered(size_t anchor, Group& group) const {
  char& covers = group.covers_[anchor];
  if (covers == kNotAsked) {
    const bool all = std::ranges::all_of(SignatureIndex::The().OfAnchor(anchor), [&](size_t signature) {
      return done_[signature] || std::ranges::binary_search(group.signatures_, signature);
    });
    covers = all ? kYes : kNo;
  }
  return covers == kYes;
}

bool Candidates::Group::MayMatch(const Part& part, const std::string& text) {
  if (part.set == nullptr) return !part.signatures.empty();
  RE2::Set::ErrorInfo failure{RE2::Set::kNoError};
  return part.set->Match(Piece(text), nullptr, &failure) || failure.kind != RE2::Set::kNoError;
}

std::vector<size_t> Candidates::Group::Matching(const Part& part, const std::string& text) {
  if (part.set == nullptr) return part.signatures;
  std::vector<int> matched;
  RE2::Set::ErrorInfo failure{RE2::Set::kNoError};
  part.set->Match(Piece(text), &matched, &failure);
  if (failure.kind != RE2::Set::kNoError) return part.signatures;
  std::vector<size_t> signatures;
  for (const int index : matched) signatures.push_back(part.signatures[static_cast<size_t>(index)]);
  return signatures;
}

std::vector<size_t> Candidates::Group::Matching(const std::string& line, const std::string& window) const {
  std::vector<size_t> found = Matching(of_line_, line);
  const std::vector<size_t> of_window = Matching(of_window_, window);
  found.insert(found.end(), of_window.begin(), of_window.end());
  std::ranges::sort(found);
  return found;
}

}  // namespace culprit::logs
